/* Scenes with one wrong line, and the expected error. */
#pragma once
#include "scenes.h"

#define NUM_LINES 22

static const char *const lines[NUM_LINES] = {
  "abut: 1",
  "title: base",
  "dim: 3",
  "time: {step: 0.01, steps: 10}",
  "gravity: [0, -9.81, 0]",
  "materials:",
  "  rubber: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}",
  "bodies:",
  "  - name: ball",
  "    material: rubber",
  "    shape: {ball: {radius: 1, cells: 6}}",
  "    scale: 1",
  "    copies: [2, 1, 1]",
  "obstacles:",
  "  - {name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}",
  "motions:",
  "  - select: {body: ball}",
  "    velocity: [0, -1, 0]",
  "contact: {dhat: {relative: 1.0e-3}}",
  "solver: {max_newton: 100}",
  "output: {fields: {every: 1}}",
  "",
};

/* A line (from 1) exchanged for another, and the message from ":line:" on. */
typedef struct {
  int         line;
  const char *text, *message;
} Refusal;

/* Whether the error is as expected; prints the difference. */
static inline int IsRefused(const Refusal *refusal, const char dim[])
{
  char           text[4096] = "", directory[PETSC_MAX_PATH_LEN];
  AbutScene     *scene      = NULL;
  PetscErrorCode ierr;
  int            fits;

  for (int i = 1; i <= NUM_LINES; i++) {
    strcat(text, i == refusal->line ? refusal->text : i == 3 && dim ? dim : lines[i - 1]);
    strcat(text, "\n");
  }
  AbutTestDirectory(directory);
  ierr = ReadSceneText(directory, text, &scene);
  RemoveSceneDirectory(directory, NULL);
  fits = ierr == ABUT_ERR_INPUT && !scene && !strncmp(AbutErrorMessage(), directory, strlen(directory)) &&
         strstr(AbutErrorMessage(), refusal->message);
  if (!fits)
    print_error("line %d, '%s', code %d:\n  said     %s\n  expected %s\n", refusal->line, refusal->text, (int)ierr, AbutErrorMessage(),
                refusal->message);
  AbutErrorClear();
  return fits;
}
