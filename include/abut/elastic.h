/**
  @file elastic.h
  @brief Elastic energy of linear and quadratic simplices with hyperelastic materials, Rayleigh damping, lumped mass, stress.

  The energy of a rank is \f$ E(x) = \sum_c \sum_q w_{cq} \, \Psi(F_{cq}) \f$ over the points q of its cells c, with the volume at rest \f$
  w_{cq} \f$ of a point and the deformation gradient \f$ F_{cq} = \sum_a x_a \otimes \nabla N_a \f$ of the shape functions \f$ N_a \f$. A
  linear cell has one point, a straight quadratic tetrahedron 4 and a quadratic triangle 3 (exact for polynomials of degree 2), a curved
  tetrahedron 8 (degree 3). In 2D, F is extended to diag(F, 1) (plane strain), and energies, forces and masses are per metre of thickness.

  Positions and gradients are local arrays [num_local * dim], vertex by vertex; positions of ghosts must be current. Results at ghosts are
  partial sums, which the caller adds to their owners by AbutMeshReduceAdd().
**/
#pragma once
#include <abut/dense.h>
#include <abut/linalg.h>
#include <abut/mesh.h>

/**
  Energy densities [J/m^3] with \f$ J = \det F \f$, rotation R of the polar decomposition F = R S, Green strain \f$ E = (F^T F - I)/2 \f$,
  small strain \f$ \varepsilon = (F + F^T)/2 - I \f$, Lame parameters mu, lambda, mooney = m. In 2D F is diag(F, 1).

  For a Poisson's ratio below 0, lambda is negative. Neo-Hookean and Mooney-Rivlin densities then tend to minus infinity for J -> 0, as
  \f$ \ln^2 J \f$ exceeds \f$ -\ln J \f$, and the fixed corotational one for J -> infinity, as \f$ J^2 \f$ exceeds \f$ |F|^2 \f$: these
  three require nu >= 0. The others have a lower bound for -1 < nu < 1/2.
**/
typedef enum {
  /**
    Compressible neo-Hookean \f$ \tfrac{\mu}{2}(|F|^2 - 3) - \mu \ln J + \tfrac{\lambda}{2} \ln^2 J \f$ [Bonet and Wood 1997, 6.4.3];
    barrier
  **/
  ABUT_MATERIAL_NEO_HOOKEAN,
  /** Fixed corotational \f$ \mu |F - R|^2 + \tfrac{\lambda}{2} (J - 1)^2 \f$ [Stomakhin et al. 2012]; finite for every F */
  ABUT_MATERIAL_FIXED_COROTATED,
  /** St. Venant-Kirchhoff \f$ \mu \, E : E + \tfrac{\lambda}{2} (\mathrm{tr} E)^2 \f$; finite for every F, softens in compression */
  ABUT_MATERIAL_STVK,
  /**
    Linear elasticity \f$ \mu \, \varepsilon : \varepsilon + \tfrac{\lambda}{2} (\mathrm{tr} \varepsilon)^2 \f$; for small rotations only
  **/
  ABUT_MATERIAL_LINEAR,
  /** Mooney-Rivlin \f$ \tfrac{\mu}{2} [(1-m)(I_1 - 3) + m (J^{-2/3} I_2 - 3) - 2 \ln J] + \tfrac{\lambda}{2} \ln^2 J \f$,
      \f$ I_1 = |F|^2 \f$, \f$ I_2 = |\mathrm{cof} F|^2 \f$; barrier */
  ABUT_MATERIAL_MOONEY_RIVLIN,
  /**
    Ogden \f$ \sum_k \tfrac{\mu_k}{\alpha_k} (\sum_i \bar s_i^{\alpha_k} - 3) + \tfrac{K}{2} \ln^2 J \f$ with the principal stretches
    \f$ s_i \f$, \f$ \bar s_i = J^{-1/3} s_i \f$, \f$ 2 \mu = \sum_k \mu_k \alpha_k \f$, \f$ K = \lambda + 2 \mu / 3 \f$
    [Ogden 1972]; barrier
  **/
  ABUT_MATERIAL_OGDEN,
  /**
    Elastoplastic: yield criterion of von Mises with the yield stress \f$ Y + H p \f$ (Kirchhoff stress), elastic energy \f$ \mu |e'|^2 +
    \tfrac{K}{2} \ln^2 J \f$ with the deviator e' of the logarithmic strain of the elastic part of \f$ F = F_e F_p \f$. The density is the
    elastic energy plus the plastic work of the step, minimised over the plastic strain [Simo 1992; Ortiz and Stainier 1999]; barrier
  **/
  ABUT_MATERIAL_J2_PLASTICITY
} AbutMaterialKind;

/** Names of the materials for PetscOptionsEnum(): "neo-hookean", "fixed-corotated", "stvk", "linear", "mooney-rivlin", "ogden",
    "j2-plasticity". */
PETSC_EXTERN const char *const AbutMaterialKinds[];

/**
  Treatment of the change of volume of nearly incompressible materials in quadratic cells. With mean dilatation the term with lambda takes
  one volume ratio for the whole cell, the mean of its points: at a Poisson's ratio near 1/2, points of their own would lock the cell
  [Nagtegaal, Parks and Rice 1974; Simo, Taylor and Pister 1985].
**/
typedef enum {
  ABUT_INCOMPRESSIBLE_AUTO,           /* mean dilatation for a Poisson's ratio of at least ABUT_MEAN_DILATATION_POISSON, and for metals */
  ABUT_INCOMPRESSIBLE_NONE,           /* each point has its own change of volume */
  ABUT_INCOMPRESSIBLE_MEAN_DILATATION /* one for the cell */
} AbutIncompressible;

#define ABUT_MEAN_DILATATION_POISSON 0.49 /* Poisson's ratio from which mean dilatation is the default; linear cells lock from there on */

/** Names of the treatments for PetscOptionsEnum(): "auto", "none", "mean-dilatation". */
PETSC_EXTERN const char *const AbutIncompressibles[];

/** A term of Ogden's energy. */
typedef struct {
  PetscReal mu;    /* [Pa] */
  PetscReal alpha; /* not 0 */
} AbutOgdenTerm;

/** A branch of a generalised Maxwell solid: its shear modulus relaxes as exp(-t / time). */
typedef struct {
  PetscReal shear; /* [Pa] > 0 */
  PetscReal time;  /* relaxation time [s] > 0 */
} AbutPronyTerm;

/** Moduli that data sheets give instead of Young's modulus and Poisson's ratio [Pa]; 0: not given. See AbutMaterialDerive(). */
typedef struct {
  PetscReal shear, bulk; /* initial moduli */
  PetscReal c10, c01;    /* of the two invariants: the initial shear modulus is 2 (c10 + c01) */
} AbutModuli;

/** Material of a body as given by the scene. */
typedef struct {
  char               name[64];          /* for messages */
  AbutMaterialKind   kind;              /* energy density */
  PetscReal          young;             /* [Pa] > 0 */
  PetscReal          poisson;           /* in [0, 0.5); (-1, 0.5) if the energy is `auxetic` */
  PetscReal          density;           /* [kg/m^3] > 0 */
  PetscReal          mooney;            /* mooney-rivlin: fraction c01 / (c10 + c01) of the second invariant, in [0, 1] */
  PetscReal          damping_mass;      /* [1/s] >= 0, Rayleigh */
  PetscReal          damping_stiffness; /* [s] >= 0, Rayleigh */
  AbutIncompressible incompressible;    /* treatment of quadratic cells; linear cells have one point, where both are the same */
  PetscReal          yield;             /* j2-plasticity: initial yield stress Y [Pa] > 0 */
  PetscReal          hardening;         /* j2-plasticity: slope H of the yield stress over the equivalent plastic strain [Pa] >= 0 */
  PetscInt           num_prony;         /* number of viscoelastic branches; only for hyperelastic materials with a barrier */
  AbutPronyTerm     *prony;             /* [num_prony], owned by the caller; the material itself is left after a long time */
  AbutModuli         moduli;            /* read by AbutMaterialDerive() only */
  PetscInt           num_ogden;         /* ogden: number of terms */
  AbutOgdenTerm     *ogden;             /* [num_ogden], owned by the caller; their sum of mu alpha / 2 is the shear modulus */
} AbutMaterialSpec;

/**
  @brief Sets `young`, `poisson` and `mooney` of a material from the terms of Ogden or the moduli that are not 0. Not collective.
  The shear modulus is given by `ogden`, `shear` or `c10` and `c01`, else `young` stays; `poisson` stays if `bulk` is 0.
**/
PETSC_EXTERN void AbutMaterialDerive(AbutMaterialSpec *spec);

/**
  @brief Why the terms of Ogden give no admissible energy, NULL if they do: no stiffness at rest, or no lower bound. Not collective.
**/
PETSC_EXTERN const char *AbutOgdenObjection(PetscInt num, const AbutOgdenTerm terms[]);

/** Constants in the formulas of a material. */
typedef struct {
  PetscReal mu;     /* Lame parameter of small strains [Pa] */
  PetscReal lambda; /* Lame parameter of small strains [Pa] */
  PetscReal mooney; /* see AbutMaterialSpec */

  PetscReal yield, hardening; /* see AbutMaterialSpec */
  PetscReal strain;           /* equivalent plastic strain p at the start of the step; of a branch: the energy that it has dissipated */
  PetscReal relaxation;       /* of a viscoelastic branch: relaxation time [s] */
  PetscReal ratio;            /* of a viscoelastic branch: length of the step over its relaxation time */
  PetscReal log_third;        /* 2D: logarithm of the third principal stretch of the elastic part of F */

  PetscInt             num_ogden; /* ogden: number of terms */
  const AbutOgdenTerm *ogden;     /* [num_ogden] borrowed from the specification */
} AbutMaterialConstants;

/**
  @brief Lame parameters \f$ \mu = E / (2 (1 + \nu)) \f$, \f$ \lambda = E \nu / ((1 + \nu)(1 - 2 \nu)) \f$ of a material. Not collective.
**/
PETSC_EXTERN void AbutMaterialGetConstants(const AbutMaterialSpec *spec, AbutMaterialConstants *constants);

/** Second derivatives of an isotropic energy density with respect to the principal stretches s [Pa]; pairs ij are 01, 02, 12 (2D: 01). */
typedef struct {
  PetscReal second[9];     /* d2Psi/ds_i ds_j [dim x dim] */
  PetscReal difference[3]; /* (P_i - P_j) / (s_i - s_j) with P_i = dPsi/ds_i: symmetric shear in the plane ij */
  PetscReal sum[3];        /* (P_i + P_j) / (s_i + s_j): antisymmetric shear in the plane ij */
} AbutStretchDerivatives;

/** Measure of the change of volume that the term with lambda depends on. */
typedef enum {
  ABUT_VOLUME_RATIO, /* J = det F */
  ABUT_VOLUME_GREEN, /* tr E of Green's strain */
  ABUT_VOLUME_SMALL  /* tr F - dim: trace of the small strain */
} AbutVolumeMeasure;

/**
  Functions of a material: pure functions of the deformation gradient F [dim x dim], row-major; in 2D of diag(F, 1). A new material is one
  file, one member of AbutMaterialKind and one line in the list of elasticimpl.h. An isotropic material provides `stretch`, from
  which isotropic.c computes the projected tangent in closed form; the derivatives must be exact also where stretches coincide.
  If its energy or stress needs the singular values, it provides `stretch_energy` and `stretch_stress` too, which the loops over cells call
  with the decompositions of several cells computed at once.
  Other materials provide `tangent`.
**/
typedef struct {
  PetscReal (*energy)(PetscInt dim, const AbutMaterialConstants *m,
                      const PetscReal F[]); /* energy density [J/m^3]; PETSC_INFINITY if F is inadmissible; NULL: stretch_energy is set */
  void (*stress)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                 PetscReal P[]); /* first Piola-Kirchhoff stress dPsi/dF [Pa], [dim x dim]; NULL: stretch_stress is set */
  void (*stretch)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[],
                  AbutStretchDerivatives *d); /* derivatives at the signed singular values s of F; NULL if not isotropic */
  PetscReal (*stretch_energy)(PetscInt dim, const AbutMaterialConstants *m,
                              const PetscReal s[]); /* energy density from the same s; NULL: from F */
  void (*stretch_stress)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal s[],
                         PetscReal P[]); /* dPsi/ds [dim]: stress in the frame of the singular vectors; NULL: from F */
  void (*tangent)(PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[], AbutProjection projection,
                  PetscReal A[]); /* see AbutMaterialTangent(); NULL if isotropic */
  PetscReal (*flow)(const AbutMaterialConstants *m, const PetscReal e[3],
                    PetscReal increment[3]); /* plastic strain of a step; increment: of the principal logarithmic strains, e: the elastic
                                                ones before it; returns the equivalent one. NULL: elastic; F is else its elastic part.
                                                Of a viscoelastic branch: viscous strain; returns the dissipated energy density */
  AbutVolumeMeasure measure;                 /* theta; the density is its value for lambda = 0 plus volumetric(theta) */
  PetscReal (*volumetric)(PetscReal lambda, PetscReal theta,
                          PetscReal d[2]); /* term with lambda [J/m^3]; d: its first and second derivative */
  PetscBool barrier;                       /* the density is infinite for J <= 0; AbutElasticMaxStep() keeps J > 0 */
  PetscBool small_strain;                  /* the stress is linear in F - I; all stress measures are equal */
  PetscBool auxetic;                       /* for Poisson's ratios below 0 the density has a lower bound, too */
} AbutMaterialOps;

/** @brief Functions of a material; static data. Not collective. */
PETSC_EXTERN const AbutMaterialOps *AbutMaterialGetOps(AbutMaterialKind kind);

/** @brief Energy density from F [dim x dim] [J/m^3], by `energy` or else by `stretch_energy`. Not collective. */
PETSC_EXTERN PetscReal AbutMaterialEnergy(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[]);

/** @brief Stress P [dim x dim] [Pa] from F of finite energy, by `stress` or else by `stretch_stress`. Not collective. */
PETSC_EXTERN void AbutMaterialStress(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                                     PetscReal P[]);

/**
  @brief Tangent A = dP/dF of a material in closed form. Not collective.
  @param[in]  ops, dim, m  functions of the material, 2 or 3, constants
  @param[in]  F            deformation gradient [dim x dim]
  @param[in]  projection   treatment of negative eigenvalues
  @param[out] A            [(dim dim) x (dim dim)] [Pa], rows and columns in the order of the entries of F
**/
PETSC_EXTERN void AbutMaterialTangent(const AbutMaterialOps *ops, PetscInt dim, const AbutMaterialConstants *m, const PetscReal F[],
                                      AbutProjection projection, PetscReal A[]);

/** Elastic energy of the cells of a mesh; opaque. */
typedef struct _p_AbutElastic *AbutElastic;

/**
  @brief Precomputes shape function gradients and volumes of the cells. Collective.
  Errors: ABUT_ERR_INPUT if a parameter of a material is out of range, a body has no material, or a cell has a volume <= 0. The caller
  then destroys *elastic.
  @param[in]  mesh           borrowed; must outlive the object
  @param[in]  num_materials  length of materials
  @param[in]  materials      [num_materials], indexed by AbutBody.material; copied
  @param[out] elastic        AbutElasticDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutElasticCreate(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec materials[],
                                              AbutElastic *elastic);

/** @brief Frees the object and sets *elastic to NULL. Collective. */
PETSC_EXTERN PetscErrorCode AbutElasticDestroy(AbutElastic *elastic);

/**
  @brief Lumped mass and mass-proportional damping: each vertex of a linear cell gets 1/(dim + 1) of the cell's mass; of a quadratic
  tetrahedron a corner gets 1/40 and a vertex on an edge 3/20, of a triangle 1/12 and 1/4, the integrals of their shape functions.
  Collective.
  @param[in] elastic  the elastic object
  @param[out] mass     [num_owned] [kg]; 0 for vertices of obstacles
  @param[out] damping  [num_owned] sum of damping_mass times mass [kg/s], or NULL
**/
PETSC_EXTERN PetscErrorCode AbutElasticGetMass(AbutElastic elastic, PetscReal mass[], PetscReal damping[]);

/**
  @brief Share by which masses at vertices raise the moment of inertia of a body, the mean over all axes through its centre of mass.
  Collective.
  @param[in]  elastic  the elastic object
  @param[out] excess   [num_bodies], the same on all ranks; 0 for obstacles
**/
PETSC_EXTERN PetscErrorCode AbutElasticInertiaExcess(AbutElastic elastic, PetscReal excess[]);

/** Lumped masses; see AbutElasticGetMass(). */
typedef struct {
  const PetscReal *vertex;      /* [num_owned] [kg], 0 for obstacles */
  PetscReal        mean, total; /* over the vertices of bodies of all ranks [kg]; the mean is 1 if there are none */
} AbutLumpedMass;

/**
  @brief How much the quadratic cells of each body are distorted at rest. Collective.
  @param[in]  elastic  the elastic object
  @param[out] ratio    [num_bodies] smallest Jacobian at a corner over the mean of its cell; 1 for straight cells and for linear bodies
**/
PETSC_EXTERN PetscErrorCode AbutElasticGetSmallestJacobian(AbutElastic elastic, PetscReal ratio[]);

/** @brief Largest Young's modulus of the materials of deformable bodies [Pa]; 0 without deformable bodies. Not collective. */
PETSC_EXTERN PetscReal AbutElasticGetLargestYoung(AbutElastic elastic);

/** @brief Round-off of the energy on this rank: machine epsilon times the sum of mu V over the cells [J]. Not collective. */
PETSC_EXTERN PetscReal AbutElasticGetRoundOff(AbutElastic elastic);

/**
  @brief Energy of the cells of this rank. Not collective.
  @param[in] elastic  the elastic object
  @param[in] x        local positions [m]
  @return [J]; PETSC_INFINITY if a cell of a barrier material has J <= 0
**/
PETSC_EXTERN PetscReal AbutElasticEnergy(AbutElastic elastic, const PetscReal x[]);

/**
  @brief Adds \f$ \mathrm{scale} \, \nabla E(x) \f$ of the cells of this rank. Not collective.
  @param[in] elastic  the elastic object
  @param[in]     x      local positions [m], with finite energy
  @param[in]     scale  factor
  @param[in,out] g      local gradient [N]
**/
PETSC_EXTERN void AbutElasticAddGradient(AbutElastic elastic, const PetscReal x[], PetscReal scale, PetscReal g[]);

/**
  @brief Adds \f$ \mathrm{scale} \, \nabla^2 E(x) \f$ of the cells of this rank; each cell's Hessian is projected. Not collective.
  @param[in] elastic  the elastic object
  @param[in]     x           local positions [m], with finite energy
  @param[in]     scale       factor
  @param[in]     projection  treatment of negative eigenvalues
  @param[in,out] as          assembler between AbutAssemblerBegin() and AbutAssemblerEnd(); its fixed stencils are the cells
**/
PETSC_EXTERN void AbutElasticAddHessian(AbutElastic elastic, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                        AbutAssembler as);

/**
  @brief Restricts energy, gradient, Hessian and step bound to the cells with a moving vertex, until the next call. Not collective.
  While only moving vertices change their positions, energies differ from the full ones by a constant, and gradient and Hessian are complete
  at moving vertices. Damping and the number of inversions always contain all cells.
  @param[in] elastic  the elastic object
  @param[in] moving   [num_local] whether a vertex moves; NULL: all do
**/
PETSC_EXTERN void AbutElasticRestrict(AbutElastic elastic, const PetscBool moving[]);

/** @brief Whether the material of a body has plastic or viscous strains. Not collective; the same on all ranks. */
PETSC_EXTERN PetscBool AbutElasticHasHistory(AbutElastic elastic);

/** @brief Whether the material of a body has plastic strains. Not collective; the same on all ranks. */
PETSC_EXTERN PetscBool AbutElasticHasPlasticStrain(AbutElastic elastic);

/**
  @brief Starts a time step: viscoelastic branches relax in it. Not collective. Without it, and after AbutElasticAcceptStep(), stresses
  and energies do not relax.
  @param[in] elastic  the elastic object
  @param[in] h        length of the step [s]; 0: none
**/
PETSC_EXTERN void AbutElasticBeginStep(AbutElastic elastic, PetscReal h);

/**
  @brief Ends a time step: updates plastic and viscous strains from the positions at its end. Until then all functions take the strains of
  the start of the step, so that a step may be tried again. Afterwards AbutElasticEnergy() is the elastic energy. Not collective.
  @param[in] elastic  the elastic object
  @param[in] x        local positions [m]
**/
PETSC_EXTERN void AbutElasticAcceptStep(AbutElastic elastic, const PetscReal x[]);

/**
  @brief Energy that the cells of this rank have dissipated since the start: viscous dissipation, and the plastic work
  \f$ \int (Y + H p / 2) p \, dV \f$ with the part that hardening stores in the metal. Not collective. @return [J]
**/
PETSC_EXTERN PetscReal AbutElasticDissipation(AbutElastic elastic);

/** @brief Equivalent plastic strain of each cell of this rank, the mean over its points [num_cells]. Not collective. */
PETSC_EXTERN void AbutElasticGetPlasticStrain(AbutElastic elastic, PetscReal strain[]);

/**
  @brief Kind of history of each body, to compare checkpoints: 1 for plastic strains plus 2 for each viscous branch. Collective.
  @param[in]  elastic  the elastic object
  @param[out] kinds    [num_bodies], the same on all ranks
**/
PETSC_EXTERN PetscErrorCode AbutElasticHistoryKinds(AbutElastic elastic, PetscInt kinds[]);

/** @brief Numbers in a row of AbutElasticGetHistory(); 0 if there is no history. Not collective; the same on all ranks. */
PETSC_EXTERN PetscInt AbutElasticHistoryWidth(AbutElastic elastic);

/**
  @brief Copies plastic and viscous strains to a row for each cell of this rank, zeros for cells without them. Not collective.
  @param[in] elastic  the elastic object
  @param[out] rows    [num_cells * AbutElasticHistoryWidth()]: 7 numbers for each point of a cell, the inverse of the inelastic part of F
                      as xx yy zz xy yz zx, symmetric and with determinant 1, and the equivalent plastic strain or, of a branch, the
                      dissipated energy density; first the plastic strains, if any body has them, then each branch
**/
PETSC_EXTERN void AbutElasticGetHistory(AbutElastic elastic, PetscReal rows[]);

/** @brief Sets plastic and viscous strains from the rows of AbutElasticGetHistory(); zeros: as at rest. Not collective. */
PETSC_EXTERN void AbutElasticSetHistory(AbutElastic elastic, const PetscReal rows[]);

/** @brief Numbers of AbutElasticGetStrains() at a corner; 0 if there is no history. Not collective; the same on all ranks. */
PETSC_EXTERN PetscInt AbutElasticStrainWidth(AbutElastic elastic);

/**
  @brief Plastic and viscous strains as fields that are linear in each cell, to transfer them to another mesh. Not collective.
  @param[in]  elastic  the elastic object
  @param[out] corners  [num_cells * (dim + 1) * AbutElasticStrainWidth()] values at the corners of the cells of this rank: the numbers of a
                       point of AbutElasticGetHistory(), with the logarithm of the matrix; zeros where a cell has no such strains
**/
PETSC_EXTERN PetscErrorCode AbutElasticGetStrains(AbutElastic elastic, PetscReal corners[]);

/**
  @brief Points of the cells of this rank that have plastic or viscous strains, cell by cell. Not collective.
  @param[in]  elastic  the elastic object
  @param[out] X        [points * dim] their rest positions [m], or NULL
  @param[out] body     [points] their bodies, or NULL if X is NULL
  @return number of points
**/
PETSC_EXTERN PetscInt AbutElasticStrainPoints(AbutElastic elastic, PetscReal X[], PetscInt body[]);

/**
  @brief Sets plastic and viscous strains. Not collective.
  @param[in] elastic  the elastic object
  @param[in] values   [points * AbutElasticStrainWidth()] values at the points of AbutElasticStrainPoints(), see AbutElasticGetStrains()
**/
PETSC_EXTERN PetscErrorCode AbutElasticSetStrains(AbutElastic elastic, const PetscReal values[]);

/** @brief Whether any material has stiffness-proportional damping. Not collective. */
PETSC_EXTERN PetscBool AbutElasticHasDamping(AbutElastic elastic);

/**
  @brief Sets the start of a time step for stiffness-proportional damping. Not collective.

  The damping potential, to be multiplied by the rate r of the integrator [1/s] by the caller (see objective.h), is
  \f[ D(x) = \tfrac12 \sum_c \alpha_c V_c \, (E - E_0) : C_c : (E - E_0) \f]
  with damping_stiffness \f$ \alpha_c \f$ [s], volume at rest \f$ V_c \f$, Green's strain \f$ E = (F^T F - I) / 2 \f$ and the elastic law
  of small strains \f$ C_c : E = \lambda_c \mathrm{tr}(E) I + 2 \mu_c E \f$ of cell c. It does not change where the body only turns.
  The velocity at the end of the step is r (x - origin). With the gradient G of origin - x0,
  \f[ E_0 = E(x_0) + (F_0^T G + G^T F_0) / 2 - \gamma G^T G / 2, \f]
  so that r (E - E_0) is the rate of strain.
  @param[in] elastic    the elastic object
  @param[in] x0         local positions at the start of the step [m]
  @param[in] origin     local origin of the velocity [m]
  @param[in] curvature  gamma: 1 / q if origin = x0 + q (x0 - x_old), as in BDF2; 0 if origin - x0 is 0, or a velocity times a time as in
                        Newmark's method
**/
PETSC_EXTERN void AbutElasticSetDampingStart(AbutElastic elastic, const PetscReal x0[], const PetscReal origin[], PetscReal curvature);

/**
  @brief Damping potential D(x) of the cells of this rank. Not collective.
  @param[in] elastic  the elastic object
  @param[in] x        local positions [m]
  @return [J s]
**/
PETSC_EXTERN PetscReal AbutElasticDampingEnergy(AbutElastic elastic, const PetscReal x[]);

/** @brief Adds \f$ \mathrm{scale} \, \nabla D(x) \f$ to the local gradient g; as AbutElasticAddGradient(). Not collective. */
PETSC_EXTERN void AbutElasticAddDampingGradient(AbutElastic elastic, const PetscReal x[], PetscReal scale, PetscReal g[]);

/** @brief Adds \f$ \mathrm{scale} \, \nabla^2 D(x) \f$; as AbutElasticAddHessian(). Not collective. */
PETSC_EXTERN void AbutElasticAddDampingHessian(AbutElastic elastic, const PetscReal x[], PetscReal scale, AbutProjection projection,
                                               AbutAssembler as);

/**
  @brief Reduces a step along x + t p so that J > 0 in all cells of barrier materials, in quadratic cells at their points [Li et al. 2020,
  Incremental Potential Contact, section 4.4; Smith and Schaefer 2015]. Not collective: the caller takes the minimum over ranks.
  @param[in]     elastic  the elastic object
  @param[in]     x, p    local positions and direction [m]
  @param[in]     safety  fraction of the smallest positive root of J(x + t p) that is allowed, in (0, 1)
  @param[in,out] step    reduced to safety times the root if that is smaller
  @param[out]    cell    local index of the cell that reduced the step, -1 if none did
**/
PETSC_EXTERN void AbutElasticMaxStep(AbutElastic elastic, const PetscReal x[], const PetscReal p[], PetscReal safety, PetscReal *step,
                                     PetscInt *cell);

/**
  @brief Counts the inverted cells (J <= 0) of this rank, for all materials: linear cells by exact predicates, quadratic cells that a bound
  does not prove to have J > 0 everywhere. Not collective.
  @param[in] elastic  the elastic object
  @param[in]  x          local positions [m]
  @param[out] count      number of inverted cells
  @param[out] forbidden  local index of the first inverted cell of a barrier material, whose energy is infinite; -1 if there is none
**/
PETSC_EXTERN void AbutElasticCountInversions(AbutElastic elastic, const PetscReal x[], PetscInt *count, PetscInt *forbidden);

/**
  @brief Stress of each cell of this rank; of a quadratic cell the mean over its points. Not collective.
  @param[in] elastic  the elastic object
  @param[in]  x       local positions [m]
  @param[out] cauchy  Cauchy stress [num_cells * 6] [Pa]: xx yy zz xy yz zx; 2D: zz of plane strain; or NULL. Not finite where J = 0
  @param[out] mises   von Mises stress [num_cells] [Pa], or NULL
**/
PETSC_EXTERN void AbutElasticGetStress(AbutElastic elastic, const PetscReal x[], PetscReal cauchy[], PetscReal mises[]);

/** Elastic energy of a body and its error. */
typedef struct {
  PetscReal energy; /* complementary energy of the stresses, with the moduli of small strains [J] */
  PetscReal error;  /* of the difference from the true stresses, estimated [J] */
} AbutElasticError;

/**
  @brief Estimates the error of the mesh, which is large where cells bend or are nearly incompressible. A body under given loads deforms too
  little by about the share error / (energy + error); under given displacements its forces are too large by error / energy. Collective.
  @param[in]  elastic  the elastic object
  @param[in]  x        local positions [m]
  @param[out] bodies   [num_bodies], the same on all ranks; zeros for obstacles
**/
PETSC_EXTERN PetscErrorCode AbutElasticEstimateError(AbutElastic elastic, const PetscReal x[], AbutElasticError bodies[]);

/**
  @brief Pressure at nodes: the mean over the cells of a node, weighted by their volumes at rest. It has no jumps between cells. Collective.
  @param[in] elastic   the elastic object
  @param[in]  cauchy    from AbutElasticGetStress()
  @param[out] pressure  [num_owned] [Pa], positive in compression; 0 at vertices of obstacles
**/
PETSC_EXTERN PetscErrorCode AbutElasticGetNodalPressure(AbutElastic elastic, const PetscReal cauchy[], PetscReal pressure[]);
