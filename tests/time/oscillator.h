/* Uniform expansion of one equilateral triangle: by symmetry an oscillator of one degree of freedom, linear for the linear material. */
#pragma once
#include "bench.h"
#include <stdio.h>
#include <unistd.h>

#define STRETCH 1e-3 /* initial strain; initial velocity 0 */

static inline void OscillatorOpen(Bench *b, AbutIntegrator integrator, PetscReal dt, PetscReal dt_min, PetscReal damping_mass,
                                  PetscReal damping_stiffness)
{
  AbutBodySpec *body;
  FILE         *file;

  BenchInit(b, PETSC_COMM_SELF, 2, dt);
  b->spec.integrator = integrator;
  b->spec.tolerance  = (AbutQuantity){1e-9, PETSC_FALSE};
  b->spec.dt_min     = dt_min;
  b->materials[0]    = (AbutMaterialSpec){.name              = "spring",
                                          .kind              = ABUT_MATERIAL_LINEAR,
                                          .young             = 1e4,
                                          .poisson           = 0.25,
                                          .density           = 1000,
                                          .damping_mass      = damping_mass,
                                          .damping_stiffness = damping_stiffness};
  BenchAddBox(b, "triangle", 0, 1, 1, 0, 0);
  body             = &b->bodies[0];
  body->shape.kind = ABUT_SHAPE_FILE;
  snprintf(body->shape.path, sizeof(body->shape.path), "oscillator_%ld.msh", (long)getpid());
  file = fopen(body->shape.path, "w");
  assert_non_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n");
  for (int k = 0; k < 3; k++) fprintf(file, "%d %.17g %.17g 0\n", k + 1, cos(2 * PETSC_PI * k / 3), sin(2 * PETSC_PI * k / 3));
  fprintf(file, "$EndNodes\n$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n");
  fclose(file);
  BenchOpen(b);
  remove(body->shape.path);
  for (PetscInt i = 0; i < b->local->num_owned * 2; i++) b->state->x[i] *= 1 + STRETCH;
}

/* Stiffness and mass of x = (1 + s) rest are 4 (lambda + mu) A and density A R^2, R = 1; lambda + mu = E / 2 (1 + nu) (1 - 2 nu). */
static inline PetscReal OscillatorFrequency(const Bench *b)
{
  const AbutMaterialSpec *m = &b->materials[0];

  return PetscSqrtReal(2 * m->young / ((1 + m->poisson) * (1 - 2 * m->poisson) * m->density));
}

/* s / STRETCH at the current state. */
static inline PetscReal OscillatorStretch(const Bench *b)
{
  return (PetscSqrtReal(AbutDot(2, b->state->x, b->state->x)) - 1) / STRETCH;
}
