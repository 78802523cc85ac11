/* The registered commands, for messages. */
#include "app.h"
#include <stdio.h>

void CommandThatSeparates(const char scene[], size_t size, char text[])
{
  const AbutCommand *command;

  text[0] = '\0';
  for (PetscInt i = 0; (command = CommandAt(i)); i++)
    if (command->separates) snprintf(text, size, "abut %s%s%s %s", command->name, scene[0] ? " " : "", scene, command->instead);
}
