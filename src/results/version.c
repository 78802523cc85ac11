/* Which program this is; the header is made at build time, see cmake/AbutVersion.cmake. */
#include <abut/results.h>
#include "abut_version.h"

const char *AbutVersion(void)
{
  return ABUT_VERSION;
}

const char *AbutVersionGit(void)
{
  return ABUT_VERSION_GIT;
}
