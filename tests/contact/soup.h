/*
  Surfaces without volumes for tests of the contact search: arbitrary triangles, segments and points, with unfavourable partitions over
  ranks. soup.c replaces the mesh at link time: it defines the functions of mesh.h that the search uses.
*/
#pragma once
#include "test.h"
#include <abut/contact.h>

/* The whole surface; every rank builds the same. */
typedef struct {
  PetscInt   dim, num_vertices, num_faces, num_edges, num_points, num_bodies;
  PetscReal *rest; /* [num_vertices * dim] */
  PetscInt  *body; /* [num_vertices] */
  PetscInt (*faces)[3], (*edges)[2], *points;
  PetscBool obstacle[64]; /* [num_bodies] */
  PetscBool closed[64];   /* [num_bodies] consists of octahedra or pentagons, which have an inner and an outer side */
} Soup;

void SoupInit(Soup *soup, PetscInt dim);
void SoupFree(Soup *soup);

/* Starts a body, to which all entities added later belong. */
void     SoupAddBody(Soup *soup, PetscBool obstacle);
PetscInt SoupAddVertex(Soup *soup, PetscReal x, PetscReal y, PetscReal z);
void     SoupAddFace(Soup *soup, PetscInt a, PetscInt b, PetscInt c); /* with its edges and points, each once */
void     SoupAddEdge(Soup *soup, PetscInt a, PetscInt b);             /* with its points, each once */
void     SoupAddPoint(Soup *soup, PetscInt a);

/* A grid of n x m cells in the plane through `corner` spanned by u and v, two triangles a cell; 2D: a chain of n segments along u. */
void SoupAddGrid(Soup *soup, PetscInt n, PetscInt m, const PetscReal corner[3], const PetscReal u[3], const PetscReal v[3]);

/* A triangle (2D: a segment) at a random place in the unit cube, of the given size, in one direction only if thin. */
void SoupAddRandom(Soup *soup, PetscReal size, PetscBool thin, uint64_t *seed);

/* Closed surfaces of this radius about a place, faces outwards. */
void SoupAddOctahedron(Soup *soup, PetscReal radius, const PetscReal center[3]);
void SoupAddPentagon(Soup *soup, PetscReal radius, PetscReal x, PetscReal y);

typedef enum { SOUP_SLABS, SOUP_SCATTERED, SOUP_LAST_RANK, SOUP_NUM_WAYS } SoupWay;

/*
  Distributes the surface: vertices in slabs along x, at random, or all to the last rank; entities to the owner of one of their vertices.
*/
AbutMesh SoupDistribute(const Soup *soup, MPI_Comm comm, SoupWay way);
void     SoupDestroyMesh(AbutMesh *mesh);

/* Returns the local part of an array over all vertices. The caller frees it. */
PetscReal *SoupLocal(AbutMesh mesh, const PetscReal global[]);
