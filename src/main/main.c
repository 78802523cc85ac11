/* The program: the subcommands that were built. */
#include <abut/private/command.h>

#ifdef ABUT_TOOLS
#include <abut/private/tools.h>
#else
/* Names that the tools would add, for messages. */
static const SceneRemoved expected_normals    = {"expected_normals", "which this build does not read: " ABUT_NO_TOOLS};
static const SceneRemoved deform              = {"deform", "which this build does not read: " ABUT_NO_TOOLS};
static const AbutCommand  AbutCommandContacts = {.name = "contacts", .lacking = &expected_normals};
static const AbutCommand  AbutCommandDeform   = {.name = "deform", .lacking = &deform};
#endif

int main(int argc, char **argv)
{
  static const AbutCommand *const commands[] = {&AbutCommandRun,     &AbutCommandCheck,    &AbutCommandContacts,
                                                &AbutCommandDeform,
#ifdef ABUT_TOOLS
                                                &AbutCommandResolve,
#endif
                                                &AbutCommandStudy,   &AbutCommandSelfTest, NULL};

  return AbutMain(argc, argv, commands);
}
