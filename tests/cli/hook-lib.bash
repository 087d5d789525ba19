# A made-up client for tests of handoff-hook: a process that starts hooks as its children,
# and writes its transcript record by record.
#
#   client A "$project"                 start it (session id of A: sid A); env of the caller
#   event A SessionStart source=startup fire one hook; $status $output $context $notice
#   starts A                            both
#   says A "count the lorries"          a prompt in the transcript; also: answers, edits,
#   runs A "make test" "2 failed" 1     runs (without a result: it is still running), ends
#   dies A                              kill -9
#   other A B                           A's process goes on as session B (clear, fork)

hook_setup()
{
	HOOK=$HANDOFF_BIN/handoff-hook
	T=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
	export HOME=$T/home TMPDIR=$T/tmp GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_SYSTEM=/dev/null
	export CLAUDE_CONFIG_DIR=$T/claude HANDOFF_VAULT=$T/vault
	unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_CACHE_HOME CLAUDE_PROJECT_DIR CLAUDE_CODE_SESSION_ID
	unset HANDOFF_OFF HANDOFF_HEADLESS HANDOFF_PROJECT HANDOFF_NOW
	export CLAUDE_CODE_ENTRYPOINT=cli
	export HANDOFF_TEST_PATIENCE=20 # tests of behaviour must not depend on the machine's load
	STATE=$HOME/.local/state/handoff
	mkdir -p "$HOME" "$TMPDIR" "$CLAUDE_CONFIG_DIR/projects/p"
	printf '[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n' >"$GIT_CONFIG_GLOBAL"
	P=$T/tollgate
	repository "$P"
	CLOCK=0
	declare -gA CLIENT_PID CLIENT_DIR LAST RUNNING
	cat >"$T/client.sh" <<'CLIENT'
# stdin: one line per event, the name of a file; NAME.in is fed to the hook
while IFS= read -r f; do
	"$HOOK" $(cat "$f.args") <"$f.in" >"$f.out" 2>"$f.err"
	echo $? >"$f.rc"
done
CLIENT
	export HOOK
}

hook_teardown()
{
	local c
	for c in "${!CLIENT_PID[@]}"; do
		kill -9 "${CLIENT_PID[$c]}" 2>/dev/null || :
	done
}

repository()
{
	mkdir -p "$1/src"
	printf 'int lorries;\n' >"$1/src/count.c"
	git -C "$1" init -q
	git -C "$1" add -A
	git -C "$1" commit -qm "first"
}

# a session id that begins with the client's name, so that short ids differ
sid()
{
	printf '%s' "$1" | od -An -tx1 | tr -d ' \n' | cut -c1-4 | sed 's/$/0000/' | cut -c1-8 | tr -d '\n'
	printf -- '-2222-4333-8444-%012d' 5
}

transcript()
{
	printf '%s/projects/p/%s.jsonl' "$CLAUDE_CONFIG_DIR" "$(sid "$1")"
}

client()
{
	CLIENT_DIR[$1]=${2:-$P}
	mkfifo "$T/fifo.$1"
	CLAUDE_PROJECT_DIR=${2:-$P} bash "$T/client.sh" <"$T/fifo.$1" >/dev/null 2>&1 3>&- &
	CLIENT_PID[$1]=$!
	disown
	exec {fd}>"$T/fifo.$1"
	eval "FD_$1=$fd"
}

# the process of client $1 goes on as session $2
other()
{
	CLIENT_PID[$2]=${CLIENT_PID[$1]}
	CLIENT_DIR[$2]=${CLIENT_DIR[$1]}
	eval "FD_$2=\$FD_$1"
}

# branched A B: B's transcript is a copy of A's, as /branch and --fork-session write it
branched()
{
	jq -c --arg s "$(sid "$2")" 'if .uuid then .forkedFrom = {sessionId, messageUuid: .uuid} else . end | .sessionId = $s' \
		"$(transcript "$1")" >"$(transcript "$2")"
	LAST[$2]=${LAST[$1]}
}

dies()
{
	kill -9 "${CLIENT_PID[$1]}"
	gone "${CLIENT_PID[$1]}"
	eval "exec $(eval echo "\$FD_$1")>&-"
	rm -f "$T/fifo.$1"
}

# wait until a process has ended; one that was not yet waited for has
gone()
{
	while [ -d "/proc/$1" ] && ! grep -qs '^State:.[ZX]' "/proc/$1/status"; do
		sleep 0.01
	done
}

# quits CLIENT: orderly end of the process, after its SessionEnd
quits()
{
	event "$1" SessionEnd reason=prompt_input_exit
	ends "$1"
	dies "$1"
}

json()
{
	local args=() kv
	for kv in "$@"; do
		case $kv in
		*:=*) args+=(--argjson "${kv%%:=*}" "${kv#*:=}") ;;
		*) args+=(--arg "${kv%%=*}" "${kv#*=}") ;;
		esac
	done
	jq -cn "${args[@]}" '$ARGS.named'
}

# event CLIENT NAME key=value...; ARGS holds arguments of the hook
event()
{
	local c=$1 name=$2 n=0
	shift 2
	EVENTS=$((${EVENTS:-0} + 1))
	local f=$T/event.$EVENTS
	json "session_id=$(sid "$c")" "transcript_path=$(transcript "$c")" \
		"cwd=${CLIENT_DIR[$c]}" "hook_event_name=$name" "$@" >"$f.in"
	printf '%s\n' "${ARGS:-}" >"$f.args"
	eval "printf '%s\n' '$f' >&\$FD_$c"
	while [ ! -s "$f.rc" ]; do
		n=$((n + 1))
		[ $n -lt 3000 ]
		sleep 0.01
	done
	status=$(cat "$f.rc")
	output=$(cat "$f.out")
	context= notice=
	[ "$status" -eq 0 ]
	[ ! -s "$f.err" ]
	case $output in
	'{'*)
		context=$(jq -r '.hookSpecificOutput.additionalContext // ""' <"$f.out")
		notice=$(jq -r '.systemMessage // ""' <"$f.out")
		;;
	esac
}

# starts CLIENT [DIR]: a new client, and the start of its session
starts()
{
	client "$@"
	event "$1" SessionStart source=startup
}

has()
{
	[[ "$context" == *"$1"* ]] || { printf 'not in the context: %s\n---\n%s\n' "$1" "$context"; return 1; }
}

# bats overlooks a plain `!`
refute()
{
	if "$@"; then
		printf 'must not succeed: %s\n' "$*"
		return 1
	fi
}

hasnot()
{
	[[ "$context" != *"$1"* ]] || { printf 'in the context: %s\n---\n%s\n' "$1" "$context"; return 1; }
}

# ---- transcript ----

tick()
{
	CLOCK=$((CLOCK + 2))
	printf '2026-07-16T10:%02d:%02d.000Z' $((CLOCK / 60)) $((CLOCK % 60))
}

# record CLIENT TYPE extra-json
record()
{
	local c=$1 uuid at
	at=$(tick)
	CLOCK=$((CLOCK + 1))
	uuid=$(printf 'aaaaaaaa-0000-4000-8000-%012d' "$CLOCK")
	jq -cn --arg t "$2" --arg u "$uuid" --arg p "${LAST[$c]:-}" --arg at "$at" \
		--arg cwd "${CLIENT_DIR[$c]}" --arg s "$(sid "$c")" --argjson x "$3" \
		'{parentUuid:(if $p == "" then null else $p end),isSidechain:false,type:$t,uuid:$u,timestamp:$at,
		  userType:"external",entrypoint:"cli",cwd:$cwd,sessionId:$s,version:"2.1.197",gitBranch:"main"} + $x' \
		>>"$(transcript "$c")"
	LAST[$c]=$uuid
}

says()
{
	record "$1" user "$(jq -cn --arg t "$2" '{message:{role:"user",content:$t},origin:{kind:"human"}}')"
}

answers()
{
	record "$1" assistant "$(jq -cn --arg t "$2" \
		'{message:{id:"m",type:"message",role:"assistant",model:"m",content:[{type:"text",text:$t}],stop_reason:"end_turn"}}')"
}

call()
{
	RUNNING[$1]=toolu_$CLOCK
	record "$1" assistant "$(jq -cn --arg id "${RUNNING[$1]}" --arg n "$2" --argjson i "$3" \
		'{message:{id:"m",type:"message",role:"assistant",model:"m",content:[{type:"tool_use",id:$id,name:$n,input:$i}],stop_reason:"tool_use"}}')"
}

result()
{
	record "$1" user "$(jq -cn --arg id "${RUNNING[$1]}" --arg t "$2" --argjson e "${3:-false}" \
		'{message:{role:"user",content:[{type:"tool_result",tool_use_id:$id,content:$t,is_error:$e}]}}')"
}

# runs CLIENT COMMAND [RESULT [EXIT]]
runs()
{
	call "$1" Bash "$(jq -cn --arg c "$2" '{command:$c,description:"Run it"}')"
	[ $# -lt 3 ] || result "$1" "$3" "$([ "${4:-0}" = 0 ] && echo false || echo true)"
}

# edits CLIENT FILE OLD NEW: in the transcript and on disk
edits()
{
	call "$1" Edit "$(jq -cn --arg f "${CLIENT_DIR[$1]}/$2" --arg o "$3" --arg n "$4" '{file_path:$f,old_string:$o,new_string:$n}')"
	result "$1" "The file ${CLIENT_DIR[$1]}/$2 has been updated successfully."
	printf '%s\n' "$4" >>"${CLIENT_DIR[$1]}/$2"
}

# what the client writes when it ends in order
ends()
{
	record "$1" system '{"subtype":"turn_duration","durationMs":10}'
	jq -cn --arg s "$(sid "$1")" --arg l "${LAST[$1]}" '{type:"last-prompt",lastPrompt:"x",leafUuid:$l,sessionId:$s}' \
		>>"$(transcript "$1")"
}

# another process holds the lock of the vault, until store_free
store_held()
{
	(exec 8>>"$HANDOFF_VAULT/.index.db.handoff.lock"; flock 8; exec sleep 30) 3>&- &
	HOLDER=$!
	disown
	until ! flock -n "$HANDOFF_VAULT/.index.db.handoff.lock" true; do sleep 0.01; done
}

store_free()
{
	kill -9 "$HOLDER"
	gone "$HOLDER"
}

# a turn with work in it, and its Stop
works()
{
	says "$1" "${2:-Count the lorries at the gate, but never touch config/prod.yaml.}"
	edits "$1" src/count.c "int lorries;" "int lorries = 0;"
	answers "$1" "The lorries are counted from zero now. Next I will add the trailers."
	event "$1" Stop stop_hook_active:=false "last_assistant_message=The lorries are counted."
	[ -z "$output" ]
}

documents()
{
	ls "$HANDOFF_VAULT"/tollgate/handoffs 2>/dev/null | wc -l
}

# the status in the front matter of the only document (or the named one)
status_of()
{
	sed -n 's/^status: //p' "$HANDOFF_VAULT"/tollgate/handoffs/${1:-*}.md | head -1
}
