/**
  @file elastic.h
  @brief Elastic energy of the cells a rank holds: linear simplices, hyperelastic materials, lumped mass.

  Local arrays are [num_local * dim], vertex by vertex. Results on ghost vertices are partial sums for the caller to reduce.
**/
#pragma once
#include <abut/dense.h>
#include <abut/linalg.h>
#include <abut/mesh.h>

typedef enum {
  ABUT_MATERIAL_NEO_HOOKEAN,
  ABUT_MATERIAL_FIXED_COROTATED,
  ABUT_MATERIAL_STVK,
  ABUT_MATERIAL_LINEAR,
  ABUT_MATERIAL_MOONEY_RIVLIN
} AbutMaterialKind;
PETSC_EXTERN const char *const
  AbutMaterialKinds[]; /* "neo-hookean", "fixed-corotated", "stvk", "linear", "mooney-rivlin", "AbutMaterialKind", "ABUT_MATERIAL_", NULL */

typedef struct {
  char             name[64];
  AbutMaterialKind kind;
  PetscReal        young;             /* [Pa] > 0 */
  PetscReal        poisson;           /* in (-1, 0.5) */
  PetscReal        density;           /* [kg/m^3] > 0 */
  PetscReal        mooney;            /* mooney-rivlin: share of the second invariant, c01 / (c10 + c01) at J = 1, in [0, 1] */
  PetscReal        damping_mass;      /* [1/s] >= 0, Rayleigh */
  PetscReal        damping_stiffness; /* [s] >= 0, Rayleigh */
} AbutMaterialSpec;

/** What the formulas of a material are evaluated with. */
typedef struct {
  PetscReal mu, lambda; /* Lame parameters of small strains [Pa] */
  PetscReal mooney;     /* share of the second invariant, see AbutMaterialSpec */
} AbutMaterialConstants;

/** @brief The constants of a material. */
PETSC_EXTERN void AbutMaterialGetConstants(const AbutMaterialSpec *spec, AbutMaterialConstants *constants);

/** Second derivatives of an isotropic energy density in principal stretches s; pairs of stretches are 01, 02, 12 (2D: 01). */
typedef struct {
  PetscReal second[9];     /* d2Psi/ds_i ds_j, dim x dim */
  PetscReal difference[3]; /* (P_i - P_j) / (s_i - s_j), P_i = dPsi/ds_i: stiffness against shear in the plane ij */
  PetscReal sum[3];        /* (P_i + P_j) / (s_i + s_j): stiffness against rotation in the plane ij */
} AbutStretchDerivatives;

/**
  What a material is: pure functions of the deformation gradient F, dim x dim, row-major. In 2D they are those of the plane-strain
  deformation diag(F, 1). One file a material, a member of AbutMaterialKind and a line in the list of src/elastic/elasticimpl.h.
  An isotropic material gives its second derivatives in principal stretches, exact also where stretches coincide, from which the
  projected tangent follows in closed form (src/elastic/isotropic.c); any other gives its tangent itself.
**/
typedef struct {
  PetscReal (*energy)(PetscInt dim, const AbutMaterialConstants *m,
                      const PetscReal F[]); /* density [J/m^3]; PETSC_INFINITY if inadmissible */
  void (*stress)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                 PetscReal P[]); /* first Piola-Kirchhoff [Pa], dim x dim */
  void (*stretch)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[],
                  AbutStretchDerivatives *d); /* at the signed singular values of F; NULL if not isotropic */
  void (*tangent)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], AbutProjection projection,
                  PetscReal A[]); /* as AbutMaterialTangent(); NULL if isotropic */
  PetscBool barrier;              /* infinite for J <= 0: the step is bounded */
  PetscBool small_strain;         /* linear in F - I, not invariant to rotations; all measures of stress are one */
} AbutMaterialOps;
PETSC_EXTERN const AbutMaterialOps *AbutMaterialGetOps(AbutMaterialKind kind);

/** @brief Tangent A = dP/dF, (dim dim) x (dim dim), row-major over row-major F, projected. Closed form. */
PETSC_EXTERN void AbutMaterialTangent(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                                      AbutProjection projection, PetscReal A[]);

typedef struct _p_AbutElastic *AbutElastic;

/**
  @brief Precomputes gradients of the shape functions and volumes. Materials are those the bodies of the mesh index. Collective.
  The mesh is borrowed and must live longer. Errors (ABUT_ERR_INPUT): a parameter of a material out of range.
**/
PETSC_EXTERN PetscErrorCode AbutElasticCreate(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec materials[],
                                              AbutElastic *elastic);
PETSC_EXTERN PetscErrorCode AbutElasticDestroy(AbutElastic *elastic);

/** @brief Lumped mass of the owned vertices [num_owned] (row sum; 0 for obstacles) [kg]; in 2D per metre of thickness. Collective. */
PETSC_EXTERN PetscErrorCode AbutElasticGetMass(AbutElastic elastic, PetscReal mass[]);

/** @brief The largest Young's modulus of the materials that bodies are of [Pa]; 0 if all are obstacles. Not collective. */
PETSC_EXTERN PetscReal AbutElasticGetLargestYoung(AbutElastic elastic);

/** @brief Energy of this rank's cells at x [J]; PETSC_INFINITY if a cell is inadmissible. Not collective. */
PETSC_EXTERN PetscErrorCode AbutElasticEnergy(AbutElastic elastic, const PetscReal x[], PetscReal *energy);

/** @brief g += scale * dPsi/dx [N] from this rank's cells. Not collective. */
PETSC_EXTERN PetscErrorCode AbutElasticAddGradient(AbutElastic elastic, const PetscReal x[], PetscReal scale, PetscReal g[]);

/** @brief Adds scale * d2Psi/dx2 of this rank's cells, each projected. The assembler's fixed stencils are the cells. Not collective. */
PETSC_EXTERN PetscErrorCode AbutElasticAddHessian(AbutElastic elastic, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                                  AbutAssembler as);

/** @brief Mass-proportional damping of the owned vertices, sum of damping_mass m [num_owned] [kg/s]. Collective. */
PETSC_EXTERN PetscErrorCode AbutElasticGetMassDamping(AbutElastic elastic, PetscReal damping[]);

/** @brief Whether any material has stiffness-proportional damping. Not collective. */
PETSC_EXTERN PetscBool AbutElasticHasDamping(AbutElastic elastic);

/**
  @brief Stiffness-proportional damping, lagged: potential 1/2 sum_cells damping_stiffness (x - x0)^T K(x0) (x - x0), K(x0) the
  PSD-projected (clamped) Hessian at the local positions x0 of the start of the step, whose energy must be finite. Computes the
  tangents of the damped cells, once a step, and keeps them; x0 is borrowed until the next call. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutElasticSetDampingStart(AbutElastic elastic, const PetscReal x0[]);

/** @brief Energy [J s], gradient and Hessian of the damping potential; scaled by the caller with 1/h. Not collective. */
PETSC_EXTERN PetscErrorCode AbutElasticDampingEnergy(AbutElastic elastic, const PetscReal x[], PetscReal *energy);
PETSC_EXTERN PetscErrorCode AbutElasticAddDampingGradient(AbutElastic elastic, const PetscReal x[], PetscReal scale, PetscReal g[]);
PETSC_EXTERN PetscErrorCode AbutElasticAddDampingHessian(AbutElastic elastic, PetscReal scale, AbutAssembler as);

/**
  @brief Largest step along x + t p with t <= *step that keeps J > 0 in every cell of a barrier material of this rank (IPC section 4.5):
  `safety` times the smallest positive root where that is below *step. Not collective: the caller takes the minimum over ranks.
  @param[in,out] step
  @param[out]    cell  local cell that limits, or -1
**/
PETSC_EXTERN PetscErrorCode AbutElasticMaxStep(AbutElastic elastic, const PetscReal x[], const PetscReal p[], PetscReal safety,
                                               PetscReal *step, PetscInt *cell);

/**
  @brief Cells of this rank of any material with J <= 0 by exact predicates. Not collective.
  @param[out] count
  @param[out] forbidden  local index of the first one of a barrier material, which has no finite energy there; -1 if there is none
**/
PETSC_EXTERN PetscErrorCode AbutElasticCountInversions(AbutElastic elastic, const PetscReal x[], PetscInt *count, PetscInt *forbidden);

/**
  @brief Cauchy stress of each cell [num_cells * 6] (xx yy zz xy yz zx; 2D: plane strain, zz included) and von Mises stress [num_cells]
  [Pa]; either may be NULL. Not finite where J = 0. Not collective.
**/
PETSC_EXTERN PetscErrorCode AbutElasticGetStress(AbutElastic elastic, const PetscReal x[], PetscReal cauchy[], PetscReal mises[]);
