/* Private to src/elastic. */
#pragma once
#include <abut/elastic.h>

PETSC_INTERN const AbutMaterialOps AbutNeoHookean;
PETSC_INTERN const AbutMaterialOps AbutFixedCorotated;

typedef struct {
  const AbutMaterialOps *ops;
  PetscReal              mu, lambda; /* [Pa] */
  PetscReal              density;    /* [kg/m^3] */
} AbutMaterial;

struct _p_AbutElastic {
  AbutMesh             mesh;  /* borrowed */
  const AbutMeshLocal *local; /* borrowed */
  AbutMaterial        *materials;
  PetscInt            *cell_material; /* [num_cells] */
  PetscReal           *gradients;     /* [num_cells * dim * dim] [1/m]: row a is the gradient of the shape function of vertex a + 1 */
  PetscReal           *volumes;       /* [num_cells] [m^dim] */
};

/* The tangent in the frame of the singular vectors, where it is sparse: F = U diag(s) V^T, entry ij of a matrix X stands for U^T X V. */
typedef struct {
  PetscReal U[9], V[9];
  PetscReal D[9];     /* between entries ii and jj */
  PetscReal alpha[9]; /* between entry ij and itself, i != j */
  PetscReal beta[9];  /* between entries ij and ji */
} AbutTangentModes;

PETSC_INTERN void AbutIsotropicModes(const AbutMaterialOps *ops, PetscInt dim, PetscReal mu, PetscReal lambda, const PetscReal F[],
                                     AbutProjection projection, AbutTangentModes *modes);

/*
  K_(a k)(b m) = scale sum_ln g_al A_(kl)(mn) g_bn for the tangent A and the dim rows a of g; symmetric, K[ld * (dim a + k) + dim b + m].
*/
PETSC_INTERN void AbutIsotropicContract(PetscInt dim, const AbutTangentModes *modes, const PetscReal g[], PetscReal scale, PetscInt ld,
                                        PetscReal K[]);

/* Edges of a simplex from its first vertex: e[dim * a + k] = x_(a+1)k - x_0k. */
static inline void AbutCellEdges(PetscInt dim, const PetscInt cell[], const PetscReal x[], PetscReal e[])
{
  const PetscReal *x0 = x + dim * cell[0];
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt k = 0; k < dim; k++) e[dim * a + k] = x[dim * cell[a + 1] + k] - x0[k];
}

/* F = sum_a e_a g_a^T */
static inline void AbutCellDeformation(PetscInt dim, const PetscReal e[], const PetscReal g[], PetscReal F[])
{
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) {
      F[dim * k + l] = e[k] * g[l];
      for (PetscInt a = 1; a < dim; a++) F[dim * k + l] += e[dim * a + k] * g[dim * a + l];
    }
}

/* Cofactor matrix, dJ/dF, of a dim x dim matrix; returns the determinant J. */
static inline PetscReal AbutCofactor(PetscInt dim, const PetscReal F[], PetscReal C[])
{
  if (dim == 2) {
    C[0] = F[3];
    C[1] = -F[2];
    C[2] = -F[1];
    C[3] = F[0];
  } else {
    AbutCross(F + 3, F + 6, C);
    AbutCross(F + 6, F, C + 3);
    AbutCross(F, F + 3, C + 6);
  }
  return AbutDot(dim, F, C);
}
