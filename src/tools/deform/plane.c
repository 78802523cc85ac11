/*
  Faces of both sides in cells of the plane across the mapping direction. All rays are points of this plane: the cell of a ray lists the
  faces that it can meet. The lists have the faces in the overlap of both projections that reach beyond the nearest
  point of the other side: no other face is the end of a ray. Of a surface with regions only the part of the side counts.
*/
#include "pairimpl.h"

/* Width of a cell over the mean width of the boxes of the faces. */
#define CELL 0.75
/* Rounding error of n . d at vertices on the outline. */
#define FACING_TOLERANCE 1e-12
/* Upper limit of the number of cells over the number of faces. */
#define MAX_CELLS 4

enum { BEFORE_A = 1, BEYOND_A = 2, BEFORE_B = 4, BEYOND_B = 8, BEHIND = 16 };

/* Box of the coordinates of a side. */
typedef struct {
  PetscReal lo[3], hi[3];
} Bounds;

static Bounds BoundsOf(PetscInt num, const PetscReal position[])
{
  Bounds b;

  for (PetscInt k = 0; k < 3; k++) b.lo[k] = b.hi[k] = position[k];
  for (PetscInt i = 1; i < num; i++) {
    for (PetscInt k = 0; k < 3; k++) {
      b.lo[k] = PetscMin(b.lo[k], position[3 * i + k]);
      b.hi[k] = PetscMax(b.hi[k], position[3 * i + k]);
    }
  }
  return b;
}

/* Box of the faces with a vertex in the part of a side: faces that rays can meet, and edges at which rays start. */
static Bounds PartBounds(const AbutDeformPair *pair, PetscInt side)
{
  const PetscBool *part     = pair->part[side];
  const PetscReal *position = pair->rays->position[side];
  Bounds           b        = {{PETSC_MAX_REAL, PETSC_MAX_REAL, PETSC_MAX_REAL}, {PETSC_MIN_REAL, PETSC_MIN_REAL, PETSC_MIN_REAL}};

  for (PetscInt i = 0; i < pair->near[side].n; i++) {
    const int32_t *v = &pair->surface[side]->tree_input.face[3 * pair->near[side].a[i]];

    if (!part[v[0]] && !part[v[1]] && !part[v[2]]) continue;
    for (PetscInt k = 0; k < 9; k++) {
      b.lo[k % 3] = PetscMin(b.lo[k % 3], position[3 * v[k / 3] + k % 3]);
      b.hi[k % 3] = PetscMax(b.hi[k % 3], position[3 * v[k / 3] + k % 3]);
    }
  }
  return b;
}

/* Whether a face is part of a fold at the cut: it has front-facing vertices of both sides, and no vertices of other regions. */
static PetscBool IsFold(const AbutDeformPair *pair, const int32_t v[3])
{
  PetscBool faces[2] = {PETSC_FALSE, PETSC_FALSE};

  for (PetscInt k = 0; k < 3; k++) {
    if (!pair->part[0][v[k]] && !pair->part[1][v[k]]) return PETSC_FALSE;
    for (PetscInt s = 0; s < 2; s++)
      if (pair->part[s][v[k]] && AbutPairFacing(pair, s, v[k]) <= FACING_TOLERANCE) faces[s] = PETSC_TRUE;
  }
  return (PetscBool)(faces[0] && faces[1]);
}

/* Whether a face belongs to the part of a side, or to a fold at the cut. */
static PetscBool TakesRays(const AbutDeformPair *pair, PetscInt side, const int32_t v[3])
{
  const PetscBool *part = pair->part[side];

  return (PetscBool)(!part || (part[v[0]] && part[v[1]] && part[v[2]]) || (pair->crease && IsFold(pair, v)));
}

/* Sets for each vertex at which sides of the grid it lies outside; `low` is the least height at which a ray can meet a face. */
static void SetOutside(const AbutDeformPair *pair, PetscInt side, PetscReal low)
{
  const AbutRayGrid *grid     = &pair->rays->grid[side];
  const PetscReal   *position = pair->rays->position[side];

  for (PetscInt v = 0; v < pair->surface[side]->num_vertices; v++) {
    const PetscReal *p = &position[3 * v];

    grid->outside[v] =
      (unsigned char)((p[0] < grid->lo[0] ? BEFORE_A : 0) | (p[0] > grid->hi[0] ? BEYOND_A : 0) | (p[1] < grid->lo[1] ? BEFORE_B : 0) |
                      (p[1] > grid->hi[1] ? BEYOND_B : 0) | (AbutRayHeight(1 - side, p) < low ? BEHIND : 0));
  }
}

/* Lists the faces that are not outside; *width is the mean width of their boxes. */
static PetscErrorCode ListFaces(AbutDeformPair *pair, PetscInt side, PetscReal *width)
{
  AbutRayGrid     *grid     = &pair->rays->grid[side];
  const PetscReal *position = pair->rays->position[side];
  PetscReal        sum      = 0;

  PetscFunctionBegin;
  grid->num = 0;
  PetscCall(AbutReserve(pair->surface[side]->num_faces, &grid->face_capacity, &grid->face));
  for (PetscInt i = 0; i < (pair->part[side] ? pair->near[side].n : pair->surface[side]->num_faces); i++) {
    const PetscInt   f    = pair->part[side] ? pair->near[side].a[i] : i;
    const int32_t   *v    = &pair->surface[side]->tree_input.face[3 * f];
    AbutRayFace     *face = &grid->face[grid->num];
    const PetscReal *p = &position[3 * v[0]], *q = &position[3 * v[1]], *r = &position[3 * v[2]];

    if ((grid->outside[v[0]] & grid->outside[v[1]] & grid->outside[v[2]]) || !TakesRays(pair, side, v)) continue;
    for (PetscInt k = 0; k < 2; k++) {
      face->lo[k] = PetscMin(p[k], PetscMin(q[k], r[k]));
      face->hi[k] = PetscMax(p[k], PetscMax(q[k], r[k]));
      sum += face->hi[k] - face->lo[k];
    }
    face->top  = PetscMax(AbutRayHeight(1 - side, p), PetscMax(AbutRayHeight(1 - side, q), AbutRayHeight(1 - side, r)));
    face->face = (int32_t)f;
    grid->num++;
  }
  *width = grid->num ? sum / (PetscReal)(2 * grid->num) : 0;
  PetscFunctionReturn(0);
}

static void SetCells(AbutRayGrid *grid, PetscReal width)
{
  PetscReal cells[2], most = MAX_CELLS * (PetscReal)PetscMax(grid->num, 1);

  for (PetscInt k = 0; k < 2; k++) cells[k] = width > 0 ? PetscMin(PetscMax((grid->hi[k] - grid->lo[k]) / (CELL * width), 1), most) : 1;
  for (; cells[0] * cells[1] > most && cells[0] + cells[1] > 2;)
    for (PetscInt k = 0; k < 2; k++) cells[k] = PetscMax(1, cells[k] / 2);
  for (PetscInt k = 0; k < 2; k++) {
    grid->cells[k]     = (PetscInt)cells[k];
    grid->per_metre[k] = grid->hi[k] > grid->lo[k] ? (PetscReal)grid->cells[k] / (grid->hi[k] - grid->lo[k]) : 0;
  }
}

/* Cells [from, to] of a face in both coordinates. */
static void FaceCells(const AbutRayGrid *grid, const AbutRayFace *face, PetscInt from[2], PetscInt to[2])
{
  for (PetscInt k = 0; k < 2; k++) {
    from[k] = AbutRayGridCell(grid, k, face->lo[k]);
    to[k]   = AbutRayGridCell(grid, k, face->hi[k]);
  }
}

/* Lists the faces of each cell. start[cell + 1] is the end of the list of the cell while it fills. */
static PetscErrorCode FillCells(AbutRayGrid *grid)
{
  const PetscInt num   = grid->cells[0] * grid->cells[1];
  PetscInt       total = 0;

  PetscFunctionBegin;
  PetscCall(AbutReserve(num + 2, &grid->cell_capacity, &grid->start));
  PetscCall(PetscArrayzero(grid->start, num + 2));
  for (PetscInt pass = 0; pass < 2; pass++) {
    for (PetscInt f = 0; f < grid->num; f++) {
      PetscInt from[2], to[2];

      FaceCells(grid, &grid->face[f], from, to);
      for (PetscInt j = from[1]; j <= to[1]; j++) {
        PetscInt *at = &grid->start[j * grid->cells[0] + (pass ? 1 : 2)];

        for (PetscInt i = from[0]; i <= to[0]; i++) {
          if (pass) grid->item[at[i]] = (int32_t)f;
          at[i]++;
        }
      }
    }
    if (pass) break;
    for (PetscInt c = 0; c < num; c++) grid->start[c + 2] = total += grid->start[c + 2];
    PetscCall(AbutReserve(total, &grid->item_capacity, &grid->item));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRayGridsSet(AbutDeformPair *pair)
{
  AbutRayGrid *grids = pair->rays->grid;
  Bounds       bounds[2];

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++)
    bounds[s] = pair->part[s] ? PartBounds(pair, s) : BoundsOf(pair->surface[s]->num_vertices, pair->rays->position[s]);
  for (PetscInt s = 0; s < 2; s++) {
    const Bounds   *other  = &bounds[1 - s];
    const PetscReal margin = 1e-6 * (pair->surface[0]->size + pair->surface[1]->size);
    PetscReal       width  = 0;

    for (PetscInt k = 0; k < 2; k++) {
      grids[s].lo[k] = PetscMax(bounds[0].lo[k], bounds[1].lo[k]);
      grids[s].hi[k] = PetscMin(bounds[0].hi[k], bounds[1].hi[k]);
    }
    SetOutside(pair, s, PetscMin(AbutRayHeight(1 - s, other->lo), AbutRayHeight(1 - s, other->hi)) - margin);
    PetscCall(ListFaces(pair, s, &width));
    SetCells(&grids[s], width);
    PetscCall(FillCells(&grids[s]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRayGridsCreate(AbutDeformPair *pair)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) PetscCall(PetscMalloc1(pair->surface[s]->num_vertices, &pair->rays->grid[s].outside));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRayGridsDestroy(AbutDeformPair *pair)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; s++) {
    AbutRayGrid *grid = &pair->rays->grid[s];

    PetscCall(PetscFree(grid->outside));
    PetscCall(PetscFree(grid->face));
    PetscCall(PetscFree(grid->start));
    PetscCall(PetscFree(grid->item));
  }
  PetscFunctionReturn(0);
}
