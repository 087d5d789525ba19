#!/usr/bin/env bats
# The record and packet tools of handoff-mcp.
load mcp-lib

_setup=$(declare -f setup)
eval "base_${_setup}"
setup()
{
	base_setup
	unset AGENT_ID MEMORY_DB CLAUDE_CODE_SESSION_ID
}

listed() { ask tools/list; jq -r '[.result.tools[].name]|join(" ")' <<<"$reply"; }
data() { jq -r ".result.structuredContent$1" <<<"$reply"; }

@test "they are listed only where they are wanted" {
	none='memory_write'
	serve
	[[ $(listed) != *$none* ]]
	ask tools/call '{"name":"memory_write","arguments":{}}'
	[[ $reply == *"Unknown tool: memory_write"* ]]
	leave
	for env in AGENT_ID=scout HANDOFF_TOOLS=records HANDOFF_TOOLS=memory_read,x MEMORY_DB=$HOME/shared.db; do
		export "${env?}"
		serve
		[[ $(listed) == *"memory_write memory_read memory_search memory_outcome memory_stats handoff_create handoff_pickup"* ]]
		leave
		unset "${env%%=*}"
	done
	AGENT_ID=a serve
	tool memory_write '{"scope":"a","key":"k","value":1}'
	leave
	serve
	[[ $(listed) == *$none* ]]
	leave
}

@test "a value comes back as it was written, also where a parsed number would not" {
	export AGENT_ID=scout
	serve
	tool memory_write '{"scope":"a","key":"k","value":{"n":12345678901234567890,"s":"caf\u00e9","f":1.50}}'
	tool memory_read '{"scope":"a","key":"k"}'
	[[ $reply == *'"value":{"f":1.5,"n":12345678901234567890,"s":"café"}'* ]]
	tool memory_write '{"scope":"a","key":"k","value":null}'
	[ "$(data .record.version)" = 2 ]
	[ "$(data .supersedes)" = 1 ]
	tool memory_read '{"scope":"a","key":"k","version":1}'
	[ "$(data .record.current)" = false ]
	tool memory_history '{"scope":"a","key":"k"}'
	[ "$(data '.versions|length')" = 2 ]
	tool memory_list '{"scope_prefix":"a/"}'
	[ "$(data '.records|length')" = 1 ]
	leave
}

@test "errors tell a model what to do" {
	export AGENT_ID=scout
	serve
	tool memory_read '{"scope":"a","key":"k"}'
	[ "$failed" = true ]
	[[ $text == *"no record a/k"* ]]
	tool memory_write '{"scope":"a","key":"k","value":1,"confidence":"high"}'
	[[ $text == *"confidence: Input should be a number"* ]]
	tool memory_write '{"scope":"a","key":"k","value":1,"expected_version":3}'
	[[ $text == *"expected version 3, but it is at 0; nothing was written"* ]]
	tool handoff_create '{"summary":"x","refs":[{"scope":"a"}]}'
	[[ $text == *"refs: Input should be a list of {scope, key, version?}"* ]]
	tool handoff_create '{"summary":"x","refs":["a/k@2"]}'
	[[ $text == *"no record a/k"* ]]
	tool memory_read '{"scope":"a","key":"k@1"}'
	[[ $text == *"no record a/k@1; a version of a/k is asked for by its number, beside the address"* ]]
	tool memory_write '{"scope":"a","key":"k","value":1}'
	tool handoff_create '{"summary":"x","refs":[{"scope":"a","key":"k","version":"new"}]}'
	[[ $text == *"refs: version: Input should be a whole number from 1"* ]]
	tool handoff_create '{"summary":"x","refs":["a/k@0"]}'
	[[ $text == *"versions count from 1"* ]]
	tool handoff_pickup
	[ "$failed" = true ]
	[[ $text == *"no packet waits for scout"* ]]
	leave
}

@test "two servers, two agents: the story of the demo" {
	export MEMORY_DB=$HOME/shared.db
	unset HANDOFF_VAULT
	export AGENT_ID=scout-agent
	serve
	tool memory_write '{"scope":"listing/482","key":"assessment","value":"good","confidence":0.8}'
	tool memory_write '{"scope":"listing/553","key":"assessment","value":"apply","confidence":0.7}'
	tool handoff_write '{"summary":"Two listings","next":["Draft 482"],"refs":[{"scope":"listing/482","key":"assessment"},"listing/553/assessment"]}'
	id=$(data .packet.id)
	tool memory_write '{"scope":"listing/553","key":"assessment","value":"maybe"}'
	# its own is not for itself
	tool handoff_pickup
	[ "$failed" = true ]
	leave
	export AGENT_ID=executor
	serve
	tool handoff_resume
	[ "$(data .packet.id)" = "$id" ]
	[ "$(data '.records|length')" = 2 ]
	[ "$(data '.records[1].value')" = apply ]
	[ "$(data '.stale[0].warning')" = "listing/553/assessment was pinned at v1, now at v2" ]
	tool record_outcome '{"scope":"listing/482","key":"assessment","outcome":"success"}'
	[ "$(data .after)" = 0.84 ]
	tool handoff_create "{\"summary\":\"done\",\"parent\":\"$id\"}"
	tool memory_stats '{"verify":true}'
	[ "$(data .ok)" = true ]
	[ "$(data .packets.closed)" = 1 ]
	leave
	[ -d "$HOME/shared.vault/_records" ]
}
