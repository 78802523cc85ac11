/* Private to src/model/elastic. */
#pragma once
#include <abut/elastic.h>

#define ABUT_ALWAYS_INLINE inline __attribute__((always_inline))

/* List of the materials: member of AbutMaterialKind, table of functions, name in scene files. */
#define ABUT_MATERIALS(MATERIAL)                                                 \
  MATERIAL(ABUT_MATERIAL_NEO_HOOKEAN, AbutNeoHookean, "neo-hookean")             \
  MATERIAL(ABUT_MATERIAL_FIXED_COROTATED, AbutFixedCorotated, "fixed-corotated") \
  MATERIAL(ABUT_MATERIAL_STVK, AbutStVenantKirchhoff, "stvk")                    \
  MATERIAL(ABUT_MATERIAL_LINEAR, AbutLinear, "linear")                           \
  MATERIAL(ABUT_MATERIAL_MOONEY_RIVLIN, AbutMooneyRivlin, "mooney-rivlin")       \
  MATERIAL(ABUT_MATERIAL_OGDEN, AbutOgden, "ogden")                              \
  MATERIAL(ABUT_MATERIAL_J2_PLASTICITY, AbutJ2Plasticity, "j2-plasticity")

#define ABUT_DECLARE_MATERIAL(kind, ops, name) PETSC_INTERN const AbutMaterialOps ops;
ABUT_MATERIALS(ABUT_DECLARE_MATERIAL)
PETSC_INTERN const AbutMaterialOps AbutMaxwell; /* of viscoelastic branches */

/* Terms with lambda for AbutMaterialOps.volumetric: lambda/2 ln(theta)^2, lambda/2 theta^2. */
PETSC_INTERN PetscReal AbutVolumetricLog(PetscReal lambda, PetscReal theta, PetscReal d[2]);
PETSC_INTERN PetscReal AbutVolumetricSquare(PetscReal lambda, PetscReal theta, PetscReal d[2]);

typedef struct {
  const AbutMaterialOps *ops;
  AbutMaterialConstants  constants;
  PetscBool              mean_dilatation;   /* in quadratic cells */
  PetscBool              of_point;          /* of one point of a cell; the next points of the cell have the materials after this one */
  PetscReal              density;           /* [kg/m^3] */
  PetscReal              damping_mass;      /* [1/s] */
  PetscReal              damping_stiffness; /* [s] */
} AbutMaterial;

/* Points of cells with stiffness-proportional damping; a linear cell has one. */
typedef struct {
  PetscBool  any; /* a material has damping_stiffness > 0; the same on all ranks */
  PetscInt   num;
  PetscInt  *cell;   /* [num] local cell, ascending */
  PetscInt  *point;  /* [num] point of the cell */
  PetscReal *strain; /* [num * dim^2] (F^T F - I) / 2 from which the strain of the step counts, without -I / 2 */
} AbutDamping;

#define ABUT_STRAIN 7 /* numbers of a point: Fp^-1, symmetric, as xx yy zz xy yz zx; sum of the results of the flow rule */

/* Points of cells whose material has a flow rule, see history.c. */
typedef struct {
  PetscBool  any;            /* the material of a body has a flow rule; the same on all ranks */
  PetscInt   num;            /* points of this rank */
  PetscInt  *cell;           /* [num] local cell, ascending */
  PetscInt  *point;          /* [num] point of the cell, ascending */
  PetscReal *state;          /* [num * ABUT_STRAIN] */
  PetscInt   first_material; /* number of the material of point 0 */
} AbutHistory;

/*
  Quadratic cells. A cell has AbutPoints() points; at a point, the derivatives of the shape functions with respect to rest positions are
  their derivatives with respect to the coordinates xi of the cell, times the matrix d xi / d X of the point. Curved tetrahedra have a rule
  of higher degree than straight ones; a batch has cells of one rule.
*/
typedef struct {
  PetscInt   num, num_straight;         /* quadratic cells of this rank; cells with the rule of lower degree, in 2D all */
  PetscInt  *cell;                      /* [num] local cells: straight ones, curved ones, both ascending */
  PetscInt  *index;                     /* [num_cells] position in `cell`, -1 for a linear cell; NULL: all cells are linear */
  PetscReal  derivatives[2][8 * 9 * 3]; /* of straight and curved cells, see AbutPointDerivatives() */
  PetscReal *inverse;                   /* [points of all cells * dim * dim] d xi / d X, row k of xi_k [1/m] */
  PetscReal *elastic_inverse;           /* the same times Fp^-1; `inverse` if no material has a flow rule */
  PetscReal *weight;                    /* [points of all cells] volumes of the points at rest [m^dim] */
  PetscInt   num_active;                /* as for the linear cells */
  PetscInt  *active;                    /* [num] positions in `cell`, ascending */
} AbutQuadratic;

struct _p_AbutElastic {
  AbutMesh             mesh;  /* borrowed */
  const AbutMeshLocal *local; /* borrowed */
  AbutMaterial        *materials;
  AbutOgdenTerm       *ogden;             /* terms of all materials */
  PetscReal            young;             /* [Pa] largest Young's modulus of the materials of bodies */
  PetscInt            *cell_material;     /* [num_cells] index of the material */
  PetscReal           *gradients;         /* [num_cells * dim * dim] [1/m]: row a is the gradient of the shape function of vertex a + 1 */
  PetscReal           *elastic_gradients; /* the same times Fp^-1; `gradients` if no material has a flow rule */
  PetscReal           *volumes;           /* [num_cells] rest volumes [m^dim] */
  PetscInt             num_active; /* linear cells that energy, gradient, Hessian and step bound contain; see AbutElasticRestrict() */
  PetscInt            *active;     /* [num_cells] their numbers, ascending */
  AbutMaterial        *deviatoric; /* the materials without lambda where the material has mean dilatation */
  AbutQuadratic        quadratic;
  AbutDamping          damping;
  AbutHistory          history;
  PetscInt             num_branches; /* largest number of viscoelastic branches of the material of a body; the same on all ranks */
  AbutElastic         *branches;     /* [num_branches] see branches.c */
};

PETSC_INTERN PetscErrorCode AbutBranchesCreate(AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[]);
PETSC_INTERN PetscErrorCode AbutBranchesDestroy(AbutElastic el);

/* Finds the points of materials with a flow rule, in their state at rest. Materials, quadratic cells and gradients must be set. */
PETSC_INTERN PetscErrorCode AbutHistoryCreate(AbutElastic el, PetscInt num_materials);
PETSC_INTERN PetscErrorCode AbutHistoryDestroy(AbutElastic el);

/* Material of point q of a quadratic cell. */
static inline const AbutMaterial *AbutMaterialOfPoint(const AbutMaterial *of_cell, PetscInt q)
{
  return of_cell->of_point ? of_cell + q : of_cell;
}

/* Finds the damped cells. The materials of the cells must be set. */
PETSC_INTERN PetscErrorCode AbutElasticSetDamping(AbutElastic el, PetscInt num_materials);

/*
  A batch: ABUT_SIMD_WIDTH active cells of isotropic materials at once, element l of each vector is of cell l. F = U diag(s) V^T.
*/
typedef struct {
  const AbutMaterial *material[ABUT_SIMD_WIDTH];
  AbutSimd            U[9], s[3], V[9];
} AbutFrames;

/* Tangents in the frames of the singular vectors, where they are sparse. Entry ij of X means (U^T X V)_ij. */
typedef struct {
  AbutSimd D[9];     /* couples entries ii and jj */
  AbutSimd alpha[9]; /* diagonal coefficient of entry ij, i != j */
  AbutSimd beta[9];  /* couples entries ij and ji */
} AbutTangentModes;

/* slope: factors U' of mean dilatation, whose U' theta joins the density before the projection; NULL: none. */
PETSC_INTERN void AbutIsotropicModes(PetscInt dim, const AbutFrames *frames, const AbutSimd *slope, AbutProjection projection,
                                     AbutTangentModes *modes);

/*
  K_(a k)(b m) = scale sum_ln g_al A_(kl)(mn) g_bn for the tangent A and the dim rows a of g; symmetric, K[ld * (dim a + k) + dim b + m].
*/
PETSC_INTERN void AbutIsotropicContract(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[],
                                        const AbutSimd *scale, PetscInt ld, AbutSimd K[]);
/* Adds the same to the blocks on and above the diagonal for the rows of a quadratic cell, all nodes but the first. */
PETSC_INTERN void AbutIsotropicAdd(PetscInt dim, const AbutFrames *frames, const AbutTangentModes *modes, const AbutSimd g[],
                                   const AbutSimd *scale, PetscInt ld, AbutSimd K[]);

/* Stretches of cell l of a batch. */
static inline void AbutFrameStretches(PetscInt dim, const AbutFrames *frames, PetscInt l, PetscReal s[3])
{
  for (PetscInt i = 0; i < dim; i++) s[i] = frames->s[i][l];
}

/* P = U diag(dPsi/ds) V^T of cell l of a batch. */
static ABUT_ALWAYS_INLINE void AbutFrameStress(PetscInt dim, const AbutFrames *frames, PetscInt l, PetscReal P[])
{
  const AbutMaterial *m = frames->material[l];
  PetscReal           s[3], principal[3];

  AbutFrameStretches(dim, frames, l, s);
  m->ops->stretch_stress(dim, &m->constants, s, principal);
  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      P[dim * i + j] = 0;
      for (PetscInt k = 0; k < dim; k++) P[dim * i + j] += frames->U[dim * i + k][l] * principal[k] * frames->V[dim * j + k][l];
    }
}

/* AbutMaterialTangent() of the density plus slope * theta. */
PETSC_INTERN void AbutMaterialTangentWithVolume(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m,
                                                const PetscReal F[], PetscReal slope, AbutProjection projection, PetscReal A[]);

/* Adds the contraction of a tangent to lane l of the Hessian H of a quadratic cell: blocks on and above the diagonal. */
PETSC_INTERN void AbutTangentAdd(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[]);

/* Sets the same for cell l of a batch, in the rows and columns of all vertices of the cell but the first of its Hessian H. */
PETSC_INTERN void AbutTangentToBatch(PetscInt dim, const PetscReal A[], const PetscReal g[], PetscReal scale, PetscInt l, AbutSimd H[]);

/* Completes the Hessians H of a batch by the rows and columns of the first vertices, and adds the Hessians of its first `count` cells. */
PETSC_INTERN void AbutElasticAddBatch(PetscInt dim, PetscInt count, const PetscInt cells[], AbutSimd H[], AbutAssembler as);

/* Edges of a simplex from its first vertex: e[dim * a + k] = x_(a+1)k - x_0k. */
static inline void AbutCellEdges(PetscInt dim, const PetscInt cell[], const PetscReal x[], PetscReal e[])
{
  const PetscReal *x0 = x + dim * cell[0];
  for (PetscInt a = 0; a < dim; a++)
    for (PetscInt k = 0; k < dim; k++) e[dim * a + k] = x[dim * cell[a + 1] + k] - x0[k];
}

/* Deformation gradient F = sum_a e_a g_a^T. */
static inline void AbutCellDeformation(PetscInt dim, const PetscReal e[], const PetscReal g[], PetscReal F[])
{
  for (PetscInt k = 0; k < dim; k++)
    for (PetscInt l = 0; l < dim; l++) {
      F[dim * k + l] = e[k] * g[l];
      for (PetscInt a = 1; a < dim; a++) F[dim * k + l] += e[dim * a + k] * g[dim * a + l];
    }
}

/* Deformation gradient F of cell c at local positions x, from `gradients` of all cells; with `elastic_gradients` its elastic part. */
static ABUT_ALWAYS_INLINE void AbutElasticDeformation(AbutElastic el, PetscInt dim, const PetscReal gradients[], PetscInt c,
                                                      const PetscReal x[], PetscReal F[])
{
  PetscReal e[9];

  AbutCellEdges(dim, el->local->cells + (dim + 1) * c, x, e);
  AbutCellDeformation(dim, e, gradients + dim * dim * c, F);
}

/* f_a += weight P grad N_a for all vertices a of a cell; the first gradient follows from sum_a grad N_a = 0. */
static ABUT_ALWAYS_INLINE void AbutCellAddForces(PetscInt dim, const PetscInt cell[], const PetscReal g[], PetscReal weight,
                                                 const PetscReal P[], PetscReal f[])
{
  for (PetscInt k = 0; k < dim; k++) {
    PetscReal total = 0;
    for (PetscInt a = 0; a < dim; a++) {
      const PetscReal force = weight * AbutDot(dim, P + dim * k, g + dim * a);
      f[dim * cell[a + 1] + k] += force;
      total += force;
    }
    f[dim * cell[0] + k] -= total;
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

/* Squared Frobenius norm |F|^2. */
static inline PetscReal AbutSquaredNorm(PetscInt dim, const PetscReal F[])
{
  return dim == 3 ? AbutDot(9, F, F) : AbutDot(4, F, F);
}

/*
  Stretches t > 0 and their reciprocals r from the singular values s, for a material with a barrier; returns J > 0. By round-off the last
  singular value of a cell with J > 0 may be computed as <= 0; it is then replaced by a positive value.
*/
static inline PetscReal AbutPositiveStretches(PetscInt dim, const PetscReal s[], PetscReal t[], PetscReal r[])
{
  PetscReal J = 1;

  for (PetscInt i = 0; i < dim; i++) {
    t[i] = PetscMax(s[i], PETSC_MACHINE_EPSILON * s[0]);
    r[i] = 1 / t[i];
    J *= t[i];
  }
  return J;
}
