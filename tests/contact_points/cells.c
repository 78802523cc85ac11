#include "cells.h"
#include <math.h>
#include <string.h>

AbutPointRules TestRules(PetscReal scale)
{
  return (AbutPointRules){.erosion       = 0.05 * scale,
                          .reach         = 0.1 * scale,
                          .dhat          = 0.2 * scale,
                          .touch         = 1e-9 * scale,
                          .parallel      = 1e-6,
                          .merge         = 1e-6 * scale,
                          .merge_normal  = 1e-6,
                          .opposing_mean = PETSC_TRUE,
                          .growth_gap    = 0.01,
                          .growth_cosine = cos(4 * PETSC_PI / 180)};
}

AbutPointCell TestCell(PetscInt body, const PetscReal x[4][3])
{
  AbutPointCell   cell;
  const PetscBool positive = (PetscBool)(AbutOrient3D(x[0], x[1], x[2], x[3]) > 0);

  memset(&cell, 0, sizeof(cell));
  for (int v = 0; v < 4; v++) {
    const int from = positive || v < 2 ? v : 5 - v;

    memcpy(cell.tet.x[v], x[from], sizeof(cell.tet.x[v]));
    cell.tet.vertex[v] = 10 * body + from;
  }
  cell.tet.body    = body;
  cell.tet.cell    = body;
  cell.tet.surface = 15;
  AbutPointCellSetUp(&cell);
  return cell;
}

AbutPointContacts FindContacts(const AbutPointMethod *method, const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B)
{
  AbutPointContacts contacts = {0};

  AbutTestCall(method->find(rules, A, B, &contacts));
  AbutTestCall(AbutPointContactsFilter(rules, PETSC_FALSE, &contacts));
  return contacts;
}

void RotateVector(const Motion *motion, PetscReal d[3])
{
  AbutRigidMotion rotation = {{0}};

  memcpy(rotation.angle, motion->rotation, sizeof(rotation.angle));
  AbutRigidMove(3, &rotation, d);
}

void MovePoint(const Motion *motion, PetscReal x[3])
{
  RotateVector(motion, x);
  for (int i = 0; i < 3; i++) x[i] = motion->scale * (x[i] + motion->shift[i]);
}

static PetscReal Distance(const PetscReal a[3], const PetscReal b[3])
{
  return sqrt(PetscSqr(a[0] - b[0]) + PetscSqr(a[1] - b[1]) + PetscSqr(a[2] - b[2]));
}

void ExpectMoved(const char what[], const Motion *motion, const AbutPointContacts *a, const AbutPointContacts *b)
{
  const PetscReal tolerance = 1e-6;

  if (a->n != b->n) fail_msg("%s: %d contacts, %d after the motion", what, (int)a->n, (int)b->n);
  for (PetscInt k = 0; k < a->n; k++) {
    AbutPointContact c     = a->a[k];
    PetscBool        found = PETSC_FALSE;

    MovePoint(motion, c.position);
    RotateVector(motion, c.normal);
    for (PetscInt j = 0; j < b->n; j++) {
      const AbutPointContact *d = &b->a[j];

      found |= (PetscBool)(Distance(c.position, d->position) < tolerance * motion->scale && Distance(c.normal, d->normal) < tolerance &&
                           PetscAbsReal(motion->scale * c.separation - d->separation) < tolerance * motion->scale);
    }
    if (!found)
      fail_msg("%s: no contact at (%g, %g, %g) with normal (%g, %g, %g) and separation %g after the motion", what, (double)c.position[0],
               (double)c.position[1], (double)c.position[2], (double)c.normal[0], (double)c.normal[1], (double)c.normal[2],
               (double)c.separation);
  }
}

AbutPointCell RandomCell(PetscInt body, const PetscReal center[3], uint64_t *seed)
{
  PetscReal x[4][3], volume;

  do {
    PetscReal e[3][3], normal[3];

    for (int v = 0; v < 4; v++)
      for (int i = 0; i < 3; i++) x[v][i] = center[i] + AbutTestRandom(seed) / 2;
    for (int v = 0; v < 3; v++)
      for (int i = 0; i < 3; i++) e[v][i] = x[v + 1][i] - x[0][i];
    AbutCross(e[0], e[1], normal);
    volume = PetscAbsReal(AbutDot(3, normal, e[2])) / 6;
  } while (volume < 0.01);
  return TestCell(body, (const PetscReal(*)[3])x);
}
