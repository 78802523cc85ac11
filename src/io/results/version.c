/* Version of the program; cmake/AbutVersion.cmake generates the header at build time. */
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
