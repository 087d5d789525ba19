/*
 * index_nodl: the dynamic loader, defined as a refusal.
 *
 * SQLite's archive can load extensions from shared objects, and so drags the loader into a static
 * program, which could not use it. Extensions are never switched on here. Linked statically
 * only; shared programs have the real one.
 */
#include "data/index_impl.h"

#ifdef HANDOFF_STATIC
void *dlopen(const char *file, int mode);
void *dlsym(void *handle, const char *name);
int dlclose(void *handle);
char *dlerror(void);

void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

int dlclose(void *handle)
{
	(void)handle;
	return -1;
}

char *dlerror(void)
{
	static char none[] = "no loader in a static program";

	return none;
}
#endif

int index_nodl(void)
{
	return 0;
}
