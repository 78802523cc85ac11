/*
  Ball: an icosahedron of n layers. Each of its 20 tetrahedra (centre, face) is subdivided n times. Layer k is a lattice with k subdivisions
  of each face, projected onto the sphere of radius k / n: 10 k^2 + 2 vertices for k > 0. Each cell connects two adjacent layers, so that no
  cell has all its vertices on the surface. 20 n^3 cells, all close to regular.
*/
#include "generate.h"
#include <abut/dense.h>

#define GOLDEN 1.6180339887498949

static const PetscReal corner_position[12][3] = {
  {-1, GOLDEN, 0},  {1, GOLDEN, 0},  {-1, -GOLDEN, 0}, {1, -GOLDEN, 0}, {0, -1, GOLDEN},  {0, 1, GOLDEN},
  {0, -1, -GOLDEN}, {0, 1, -GOLDEN}, {GOLDEN, 0, -1},  {GOLDEN, 0, 1},  {-GOLDEN, 0, -1}, {-GOLDEN, 0, 1},
};

typedef struct {
  PetscInt   n;
  PetscReal  radius;
  PetscInt   face[20][3];  /* corners, counter-clockwise seen from outside */
  PetscInt   edge[12][12]; /* number of the edge between two corners */
  AbutPiece *piece;
} Icosahedron;

/* Vertex of the lattice. */
typedef struct {
  PetscInt  v;
  PetscReal x[3];
} Node;

static PetscReal Distance2(const PetscReal a[3], const PetscReal b[3])
{
  return PetscSqr(a[0] - b[0]) + PetscSqr(a[1] - b[1]) + PetscSqr(a[2] - b[2]);
}

/* Finds the edges (corners at distance 2) and the outward faces (triples of mutually connected corners). */
static void FindTopology(Icosahedron *ico)
{
  PetscInt num_edges = 0, num_faces = 0;

  for (PetscInt a = 0; a < 12; a++)
    for (PetscInt b = 0; b < 12; b++) ico->edge[a][b] = a < b && Distance2(corner_position[a], corner_position[b]) < 4.1 ? num_edges++ : -1;
  for (PetscInt a = 0; a < 12; a++) {
    for (PetscInt b = a + 1; b < 12; b++) {
      for (PetscInt c = b + 1; c < 12; c++) {
        PetscReal n[3];
        PetscBool outward;

        if (ico->edge[a][b] < 0 || ico->edge[a][c] < 0 || ico->edge[b][c] < 0) continue;
        AbutCross(corner_position[a], corner_position[b], n);
        outward                   = (PetscBool)(AbutDot(3, n, corner_position[c]) > 0);
        ico->face[num_faces][0]   = a;
        ico->face[num_faces][1]   = outward ? b : c;
        ico->face[num_faces++][2] = outward ? c : b;
      }
    }
  }
}

static inline PetscInt LayerStart(PetscInt k)
{
  return k == 0 ? 0 : 1 + 2 * (k - 1) + 10 * ((k - 1) * k * (2 * k - 1) / 6);
}

/* Number of the vertex of layer k with barycentric weights (k - a - b, a, b) on face f: 12 corners, then edges, then interiors of faces. */
static PetscInt LatticeVertex(const Icosahedron *ico, PetscInt f, PetscInt k, PetscInt a, PetscInt b)
{
  const PetscInt w[3] = {k - a - b, a, b}, *corner = ico->face[f], start = LayerStart(k);

  if (k == 0) return 0;
  for (PetscInt i = 0; i < 3; i++)
    if (w[i] == k) return start + corner[i];
  for (PetscInt i = 0; i < 3; i++) {
    const PetscInt j = (i + 1) % 3;
    if (w[(i + 2) % 3]) continue;
    if (corner[i] < corner[j]) return start + 12 + ico->edge[corner[i]][corner[j]] * (k - 1) + w[j] - 1;
    return start + 12 + ico->edge[corner[j]][corner[i]] * (k - 1) + w[i] - 1;
  }
  return start + 12 + 30 * (k - 1) + f * ((k - 1) * (k - 2) / 2) + (b - 1) * (k - 1) - b * (b - 1) / 2 + a - 1;
}

/* Position of that vertex; faces that share it agree up to round-off. */
static void LatticePosition(const Icosahedron *ico, PetscInt f, PetscInt k, PetscInt a, PetscInt b, PetscReal x[3])
{
  PetscReal norm, sum = 0;

  for (PetscInt d = 0; d < 3; d++) {
    x[d] = (PetscReal)(k - a - b) * corner_position[ico->face[f][0]][d] + (PetscReal)a * corner_position[ico->face[f][1]][d] +
           (PetscReal)b * corner_position[ico->face[f][2]][d];
    sum += x[d] * x[d];
  }
  norm = k ? ico->radius * (PetscReal)k / (PetscReal)ico->n / PetscSqrtReal(sum) : 0;
  for (PetscInt d = 0; d < 3; d++) x[d] *= norm;
}

static Node LatticeNode(const Icosahedron *ico, PetscInt f, PetscInt k, PetscInt a, PetscInt b)
{
  Node node = {.v = LatticeVertex(ico, f, k, a, b)};

  LatticePosition(ico, f, k, a, b, node.x);
  return node;
}

/* The last of the faces that share a vertex determines its position. */
static void PlaceVertices(const Icosahedron *ico)
{
  const AbutRange range = ico->piece->vertices;

  for (PetscInt f = 0; f < 20; f++) {
    for (PetscInt k = 1; k <= ico->n; k++) {
      if (LayerStart(k) >= range.end || LayerStart(k + 1) <= range.begin) continue;
      for (PetscInt b = 0; b <= k; b++) {
        for (PetscInt a = 0; a + b <= k; a++) {
          PetscReal *x = AbutGenerateVertex(ico->piece, LatticeVertex(ico, f, k, a, b));
          if (x) LatticePosition(ico, f, k, a, b, x);
        }
      }
    }
  }
}

static void AddCell(const Icosahedron *ico, const Node *a, const Node *b, const Node *c, const Node *d)
{
  const Node *const node[4] = {a, b, c, d};
  PetscInt          v[4]    = {a->v, b->v, c->v, d->v};
  PetscReal         x[12];

  for (PetscInt i = 0; i < 12; i++) x[i] = node[i / 3]->x[i % 3];
  if (AbutCellDeterminant(3, x, (PetscInt[]){0, 1, 2, 3}) < 0) AbutReverseSimplices(1, 4, v);
  AbutGenerateAddCell(ico->piece, v);
}

/* Adds the four cells of an octahedron around the shortest of its three diagonals (low[i], high[i]). */
static void AddOctahedron(const Icosahedron *ico, const Node *const low[3], const Node *const high[3])
{
  PetscInt  best = 0;
  PetscReal length2[3];

  for (PetscInt i = 0; i < 3; i++) length2[i] = Distance2(low[i]->x, high[i]->x);
  for (PetscInt i = 1; i < 3; i++)
    if (length2[i] < length2[best] * (1 - 1e-6)) best = i; /* on ties up to round-off, the first diagonal */
  {
    const PetscInt    j = (best + 1) % 3, k = (best + 2) % 3;
    const Node *const ring[4] = {low[j], low[k], high[j], high[k]};
    for (PetscInt i = 0; i < 4; i++) AddCell(ico, low[best], high[best], ring[i], ring[(i + 1) % 4]);
  }
}

/* Adds the cells of one face between layers k - 1 and k. */
static void AddLayer(const Icosahedron *ico, PetscInt f, PetscInt k)
{
  for (PetscInt b = 0; b < k; b++) {
    for (PetscInt a = 0; a + b < k; a++) {
      const Node low = LatticeNode(ico, f, k - 1, a, b), high0 = LatticeNode(ico, f, k, a, b), high1 = LatticeNode(ico, f, k, a + 1, b),
                 high2 = LatticeNode(ico, f, k, a, b + 1);

      AddCell(ico, &low, &high0, &high1, &high2);
      if (a + b + 1 < k) {
        const Node low1 = LatticeNode(ico, f, k - 1, a + 1, b), low2 = LatticeNode(ico, f, k - 1, a, b + 1),
                   high3 = LatticeNode(ico, f, k, a + 1, b + 1);
        AddOctahedron(ico, (const Node *const[]){&low, &low1, &low2}, (const Node *const[]){&high3, &high2, &high1});
        if (a + b + 2 < k) {
          const Node low3 = LatticeNode(ico, f, k - 1, a + 1, b + 1);
          AddCell(ico, &low1, &low2, &low3, &high3);
        }
      }
    }
  }
}

PetscErrorCode AbutGenerateCountBall(const AbutBodySpec *spec, PetscInt *num_vertices, PetscInt *num_cells)
{
  const PetscInt n = spec->shape.cells[0];

  PetscFunctionBegin;
  PetscCall(AbutGenerateCheckCount(spec, "cells", 20. * (PetscReal)n * (PetscReal)n * (PetscReal)n));
  *num_vertices = LayerStart(n + 1);
  *num_cells    = 20 * n * n * n;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutGenerateBall(const AbutBodySpec *spec, AbutPiece *piece)
{
  Icosahedron ico = {.n = spec->shape.cells[0], .radius = spec->shape.size[0], .piece = piece};

  PetscFunctionBegin;
  FindTopology(&ico);
  PlaceVertices(&ico);
  for (PetscInt f = 0; f < 20; f++)
    for (PetscInt k = 1; k <= ico.n; k++)
      if (AbutGenerateHasCells(piece, 3 * k * (k - 1) + 1)) AddLayer(&ico, f, k);
  PetscFunctionReturn(0);
}
