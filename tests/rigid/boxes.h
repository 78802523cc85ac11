/* Boxes as rigid bodies on a ground of infinite mass, with their lower corners as contacts. The y axis points up. */
#pragma once
#include "test.h"
#include <abut/containers.h>
#include <abut/rigid.h>
#include <string.h>

#define G 10. /* [m/s^2] */

typedef struct {
  PetscInt             num;
  AbutBodySpec         spec[16];
  PetscReal            density[16], half[16][3]; /* half edges of the boxes [m] */
  PetscReal            gravity[3];
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutRigid            rigid;
  const AbutRigidMass *mass;
  AbutRigidState      *state;
  AbutPointContacts    contacts;
  AbutRigidReport      report;
} Boxes;

static inline AbutBodySpec *BoxesAdd(Boxes *b, PetscReal sx, PetscReal sy, PetscReal sz, PetscReal x, PetscReal y, PetscReal density)
{
  AbutBodySpec   *body    = &b->spec[b->num];
  const PetscReal size[3] = {sx, sy, sz};

  AbutTestCall(AbutBodySpecInit(body));
  snprintf(body->name, sizeof(body->name), "box%d", (int)b->num);
  strcpy(body->place, "scene.yaml:5");
  body->shape.kind = ABUT_SHAPE_BOX;
  for (int k = 0; k < 3; k++) {
    body->shape.size[k]  = size[k];
    body->shape.cells[k] = 2;
    b->half[b->num][k]   = size[k] / 2;
  }
  body->shape.translate[0] = x;
  body->shape.translate[1] = y;
  b->density[b->num++]     = density;
  return body;
}

static inline void BoxesOpen(Boxes *b, MPI_Comm comm)
{
  AbutTestCall(AbutMeshCreate(comm, 3, b->num, b->spec, &b->mesh));
  b->ml = AbutMeshGetLocal(b->mesh);
  AbutTestCall(AbutRigidCreate(b->mesh, b->density, b->gravity, &b->rigid));
  AbutTestCall(AbutRigidSetFromOptions(b->rigid));
  AbutTestCall(AbutRigidGetBodies(b->rigid, &b->mass, &b->state));
}

static inline void BoxesClose(Boxes *b)
{
  AbutTestCall(AbutRigidDestroy(&b->rigid));
  AbutTestCall(AbutMeshDestroy(&b->mesh));
  AbutTestCall(PetscFree(b->contacts.a));
  memset(b, 0, sizeof(*b));
}

/* Current position of the point at centre + offset at rest of a body. */
static inline void BoxesPoint(const Boxes *b, PetscInt body, const PetscReal offset[3], PetscReal x[3])
{
  const PetscReal w = b->state[body].orientation[0], *q = b->state[body].orientation + 1;

  for (int i = 0; i < 3; i++) {
    const int       j = (i + 1) % 3, k = (i + 2) % 3;
    const PetscReal t = q[0] * offset[0] + q[1] * offset[1] + q[2] * offset[2];
    x[i]              = b->state[body].center[i] + (w * w - (q[0] * q[0] + q[1] * q[1] + q[2] * q[2])) * offset[i] + 2 * q[i] * t +
           2 * w * (q[j] * offset[k] - q[k] * offset[j]);
  }
}

static inline AbutPointContact *BoxesTouch(Boxes *b, PetscInt lower, PetscInt upper, const PetscReal x[3], const PetscReal normal[3])
{
  AbutPointContact *contact;

  AbutTestCall(AbutReserve(b->contacts.n + 1, &b->contacts.capacity, &b->contacts.a));
  contact = &b->contacts.a[b->contacts.n++];
  memset(contact, 0, sizeof(*contact));
  contact->body[0] = lower;
  contact->body[1] = upper;
  for (int k = 0; k < 3; k++) {
    contact->position[k] = x[k];
    contact->normal[k]   = normal[k];
  }
  return contact;
}

/* The four lower corners of a box touch the box below; `normal` points up. */
static inline void BoxesStand(Boxes *b, PetscInt lower, PetscInt upper, const PetscReal normal[3])
{
  for (int corner = 0; corner < 4; corner++) {
    const PetscReal offset[3] = {(corner & 1 ? 1 : -1) * b->half[upper][0], -b->half[upper][1], (corner & 2 ? 1 : -1) * b->half[upper][2]};
    PetscReal       x[3];
    BoxesPoint(b, upper, offset, x);
    BoxesTouch(b, lower, upper, x, normal);
  }
}

static inline void BoxesStep(Boxes *b, PetscReal dt)
{
  AbutTestCall(AbutRigidStep(b->rigid, dt, &b->contacts, &b->report));
  b->contacts.n = 0;
}

static inline PetscReal BoxesNorm(const PetscReal x[3])
{
  return PetscSqrtReal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}
