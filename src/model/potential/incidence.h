/*
  Incidence in one-rings. Several candidates may name the same pair of primitives; "the first one without v" is a rule by which exactly one
  candidate lists it. Its order does not depend on ranks, so neither does the choice.
*/
#pragma once
#include <abut/surface.h>

static inline PetscBool EdgeHas(const AbutOneRing *r, PetscInt e, PetscInt v)
{
  return (PetscBool)(r->edges[e][0] == v || r->edges[e][1] == v);
}

static inline PetscBool FaceHas(const AbutOneRing *r, PetscInt f, PetscInt v)
{
  return (PetscBool)(r->faces[f][0] == v || r->faces[f][1] == v || r->faces[f][2] == v);
}

/* Whether two edges have a vertex in common. */
static inline PetscBool EdgesMeet(const AbutOneRing *r, PetscInt e, PetscInt g)
{
  return (PetscBool)(EdgeHas(r, e, r->edges[g][0]) || EdgeHas(r, e, r->edges[g][1]));
}

/* The first face at an edge, face at a vertex, or edge at a vertex that does not contain vertex v; -1 if there is none. */
static inline PetscInt EdgeFaceWithout(const AbutOneRing *r, PetscInt e, PetscInt v)
{
  for (PetscInt i = r->edge_face_start[e]; i < r->edge_face_start[e + 1]; i++)
    if (!FaceHas(r, r->edge_face[i], v)) return r->edge_face[i];
  return -1;
}

static inline PetscInt VertexFaceWithout(const AbutOneRing *r, PetscInt at, PetscInt v)
{
  for (PetscInt i = r->vertex_face_start[at]; i < r->vertex_face_start[at + 1]; i++)
    if (!FaceHas(r, r->vertex_face[i], v)) return r->vertex_face[i];
  return -1;
}

static inline PetscInt VertexEdgeWithout(const AbutOneRing *r, PetscInt at, PetscInt v)
{
  for (PetscInt i = r->vertex_edge_start[at]; i < r->vertex_edge_start[at + 1]; i++)
    if (!EdgeHas(r, r->vertex_edge[i], v)) return r->vertex_edge[i];
  return -1;
}
