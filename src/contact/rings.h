/* WARNING: private header of src/contact. Rings: all of the surface at the vertices of candidates, whichever rank has it. */
#pragma once
#include "contactimpl.h"

/* ringtable.c: rows of faces and edges; which: where new ones are remembered, in every search or in this one */
enum { FIXED, COPIED };

/* Makes room for so many rows. */
PETSC_INTERN PetscErrorCode AbutRingsReserve(AbutRingStore *rings, PetscInt num_faces, PetscInt num_edges);
/* The row of a face or an edge of contact vertices, a new one if there is none; there must be room. */
PETSC_INTERN int32_t AbutRingsAddFace(AbutContact contact, int which, PetscInt id, const PetscInt v[3]);
PETSC_INTERN int32_t AbutRingsAddEdge(AbutContact contact, int which, PetscInt a, PetscInt b);
/* The same for what is kept of vertices. */
PETSC_INTERN PetscErrorCode AbutRingsReserveVertices(AbutRingStore *rings, PetscInt num_vertices);
/* A row for an edge of the mesh here, whether or not there is one with the same vertices. */
PETSC_INTERN void AbutRingsAppendEdge(AbutContact contact, const PetscInt v[2]);
/* Lists of what is at every vertex and edge. */
PETSC_INTERN PetscErrorCode AbutRingsBuildLists(AbutContact contact);

/* rings.c: numbers and rest positions of the vertices that are not of the mesh here, to their places. */
PETSC_INTERN void AbutRingsPlaceExtra(AbutContact contact);

/* ringsetup.c: what is the same in all searches. Collective. */
PETSC_INTERN PetscErrorCode AbutRingsSetUp(AbutContact contact);

/* deliver.c: records to any rank. Collective. */
typedef struct {
  PetscInt  n;
  PetscInt *start; /* [size + 1] first record from a rank */
  void     *records;
} AbutMail;

/* Sends record i, `bytes` long, to rank to[i]; what a rank sends to another keeps its order. */
PETSC_INTERN PetscErrorCode AbutDeliver(AbutContact contact, size_t bytes, PetscInt n, const PetscMPIInt to[], const void *records,
                                        AbutMail *mail);
PETSC_INTERN PetscErrorCode AbutMailFree(AbutMail *mail);
/* The rank that owns a vertex. */
PETSC_INTERN PetscMPIInt AbutOwnerOf(const AbutContact contact, PetscInt global);
