/* Orientation of closed obstacles: reverses all faces (2D: edges) if their normals point into the solid. */
#include "meshimpl.h"
#include <abut/dense.h>

/* Whether the edges form closed curves: at each vertex the numbers of starting and of ending edges are equal. */
static PetscErrorCode IsClosed2D(const AbutShape *shape, PetscBool *closed)
{
  PetscInt *balance;

  PetscFunctionBegin;
  *closed = (PetscBool)(shape->num_edges > 0);
  PetscCall(PetscCalloc1(shape->num_vertices, &balance));
  for (PetscInt i = 0; i < 2 * shape->num_edges; i++) balance[shape->edges[i]] += i % 2 ? -1 : 1;
  for (PetscInt v = 0; v < shape->num_vertices; v++)
    if (balance[v]) *closed = PETSC_FALSE;
  PetscCall(PetscFree(balance));
  PetscFunctionReturn(0);
}

/* Whether the faces form closed surfaces: the numbers of faces that traverse an edge in its two directions are equal and not 0. */
static PetscErrorCode IsClosed3D(const AbutShape *shape, PetscBool *closed)
{
  const PetscInt of_faces = 3 * shape->num_faces, num = of_faces + shape->num_edges;
  PetscInt      *tuple, *order, balance = 0, faces = 0;

  PetscFunctionBegin;
  *closed = (PetscBool)(shape->num_faces > 0);
  PetscCall(PetscMalloc2(2 * num, &tuple, num, &order));
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt a = i < of_faces ? shape->faces[i] : shape->edges[2 * (i - of_faces)],
                   b = i < of_faces ? shape->faces[i - i % 3 + (i + 1) % 3] : shape->edges[2 * (i - of_faces) + 1];
    tuple[2 * i]     = PetscMin(a, b);
    tuple[2 * i + 1] = PetscMax(a, b);
  }
  PetscCall(AbutSortTuples(num, 2, shape->num_vertices, tuple, order));
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt i = order[k], *own = &tuple[2 * i], *next = k + 1 < num ? &tuple[2 * order[k + 1]] : NULL;
    if (i < of_faces) {
      balance += shape->faces[i] == own[0] ? 1 : -1;
      faces++;
    }
    if (next && next[0] == own[0] && next[1] == own[1]) continue;
    if (balance || !faces) *closed = PETSC_FALSE;
    balance = faces = 0;
  }
  PetscCall(PetscFree2(tuple, order));
  PetscFunctionReturn(0);
}

/* Six times the enclosed volume (2D: twice the area), positive for outward normals; relative to the first vertex to avoid cancellation. */
static PetscReal EnclosedVolume(PetscInt dim, const AbutShape *shape)
{
  const PetscReal *o   = shape->x;
  PetscReal        sum = 0;

  for (PetscInt e = 0; dim == 2 && e < shape->num_edges; e++) {
    const PetscReal *a = &shape->x[3 * shape->edges[2 * e]], *b = &shape->x[3 * shape->edges[2 * e + 1]];
    sum += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  }
  for (PetscInt f = 0; dim == 3 && f < shape->num_faces; f++) {
    PetscReal p[3][3], n[3];
    for (int k = 0; k < 9; k++) p[k / 3][k % 3] = shape->x[3 * shape->faces[3 * f + k / 3] + k % 3] - o[k % 3];
    AbutCross(p[1], p[2], n);
    sum += AbutDot(3, p[0], n);
  }
  return sum;
}

PetscErrorCode AbutShapeOrient(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscBool closed;

  PetscFunctionBegin;
  shape->oriented = spec->oriented;
  if (!spec->obstacle || spec->oriented == ABUT_ORIENTED_NONE) PetscFunctionReturn(0);
  PetscCall(dim == 2 ? IsClosed2D(shape, &closed) : IsClosed3D(shape, &closed));
  AbutSpecCheck(closed || spec->oriented != ABUT_ORIENTED_INWARD, spec,
                "is oriented inward, but its surface has a border; only a closed surface has an inside");
  if (!closed) {
    shape->oriented = ABUT_ORIENTED_NONE;
  } else if ((EnclosedVolume(dim, shape) > 0) != (spec->oriented == ABUT_ORIENTED_OUTWARD)) {
    if (dim == 2) AbutReverseSimplices(shape->num_edges, 2, shape->edges);
    if (dim == 3) AbutReverseSimplices(shape->num_faces, 3, shape->faces);
  }
  PetscFunctionReturn(0);
}
