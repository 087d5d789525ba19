/*
 * gitstate_nonet: the network entry points of libgit2, defined as refusals.
 *
 * libgit2's static archive holds ssh, TLS and HTTP transports. This program never talks to
 * a network (the user's own git does), so their entry points are defined here; the linker
 * then leaves the archive members behind them, and libssh2, OpenSSL and GSSAPI, out.
 * Names as in libgit2 1.5 (src/libgit2/transports, src/libgit2/streams). Linked statically
 * only; a shared libgit2 brings its own.
 */
#include <pwd.h>
#include <stddef.h>

int git_smart_subtransport_ssh(void);
int git_transport_ssh_global_init(void);
int git_transport_ssh_with_paths(void);
int git_http_auth_negotiate(void);
int git_mbedtls__set_cert_location(void);
int git_mbedtls_stream_global_init(void);
int git_mbedtls_stream_new(void);
int git_mbedtls_stream_wrap(void);
int git_socket_stream_new(void);
/* gitstate.c refers to this, so that the linker takes this object before libgit2's own. */
int gitstate_nonet(void);

int gitstate_nonet(void)
{
	return 0;
}

int git_smart_subtransport_ssh(void)
{
	return -1;
}

int git_transport_ssh_global_init(void)
{
	return 0;
}

int git_transport_ssh_with_paths(void)
{
	return -1;
}

int git_http_auth_negotiate(void)
{
	return -1;
}

int git_mbedtls__set_cert_location(void)
{
	return -1;
}

int git_mbedtls_stream_global_init(void)
{
	return 0;
}

int git_mbedtls_stream_new(void)
{
	return -1;
}

int git_mbedtls_stream_wrap(void)
{
	return -1;
}

int git_socket_stream_new(void)
{
	return -1;
}

/*
 * libgit2 asks for the home directory of the user when HOME is not set. glibc would load
 * the system's name services for that, also into a static program, where they need not fit:
 * no such user, and then there is no user configuration.
 */
int getpwuid_r(uid_t uid, struct passwd *pwd, char *buf, size_t n, struct passwd **result)
{
	(void)uid;
	(void)pwd;
	(void)buf;
	(void)n;
	*result = NULL;
	return 0;
}
