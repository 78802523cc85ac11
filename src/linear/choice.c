/*
  Choice of the linear solver.

  direct     One rank: CHOLMOD with a nested dissection of the vertex graph. Several ranks: substructuring (substructure.c). If the
             interface problem costs too much: CHOLMOD on one rank (PCTELESCOPE), or with "auto" the Schwarz solver.
  schwarz    Conjugate gradients, preconditioned by exact solves on overlapping subdomains, one per rank, without coarse space. For compact
             bodies on many ranks: their interfaces are large, and inertia keeps the number of iterations small.
  multigrid  Conjugate gradients with algebraic multigrid and rigid-body modes. Its memory is linear in the number of unknowns.
*/
#include "linearimpl.h"
#include <string.h>

const char *const AbutLinearKinds[] = {"auto", "direct", "schwarz", "multigrid", "AbutLinearKind", "ABUT_LINEAR_", NULL};

/*
  Ratios at which substructuring was measured to be faster: 0.2 in a cube, 1.1 in a house of cards. 3e11 operations correspond to an
  interface of 10,000 unknowns, a dense matrix of 0.8 GB.
*/
static const AbutOption options[] = {
  {"-abut_linear", ABUT_OPTION_ENUM, offsetof(AbutLinearChoice, asked), ABUT_LINEAR_AUTO, 0, 0, "", "Linear solver", AbutLinearKinds},
  {"-abut_interface_ratio", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, interface_ratio), 1.5, 0, PETSC_MAX_REAL, "",
   "Largest cost of the interface problem of substructuring relative to the largest interior of a rank"},
  {"-abut_interface_free", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, interface_free), 1e7, 0, PETSC_MAX_REAL, "flop",
   "Cost of the interface problem of substructuring that is accepted beyond the ratio"},
  {"-abut_interface_max", ABUT_OPTION_REAL, offsetof(AbutLinearChoice, interface_max), 3e11, 0, PETSC_MAX_REAL, "flop",
   "Largest cost of the interface problem of substructuring"},
  {"-abut_multigrid_min_unknowns", ABUT_OPTION_INT, offsetof(AbutLinearChoice, multigrid_min), 600000, 1, PETSC_MAX_INT, "unknowns",
   "Unknowns per rank from which the automatic choice is multigrid, because a factorisation would need too much memory"},
};
const AbutOptionTable AbutLinearChoiceOptions = {"Choice of the linear solver", PETSC_STATIC_ARRAY_LENGTH(options), options};

PetscBool AbutLinearIsOwn(AbutLinear l)
{
  return (PetscBool)(!l->choice.ksp_chosen && !l->choice.pc_chosen);
}

static PetscErrorCode SetSchwarz(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCASMSetType(pc, PC_ASM_BASIC)); /* symmetric, as conjugate gradients require */
  PetscCall(PCASMSetOverlap(pc, 1));
  PetscFunctionReturn(0);
}

/* Whether one application of the preconditioner solves the system: abut's direct solvers, or a factorisation that the user chose. */
static PetscErrorCode IsFactorisation(const AbutLinearChoice *c, PetscBool *factorisation)
{
  char type[64] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_type", type, sizeof(type), NULL));
  *factorisation = (PetscBool)(c->kind == ABUT_LINEAR_DIRECT && (!c->pc_chosen || !strcmp(type, PCLU) || !strcmp(type, PCCHOLESKY)));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceSetTypes(AbutLinearChoice *c, KSP ksp, PetscInt unknowns)
{
  PetscBool   factorisation = PETSC_FALSE;
  PetscMPIInt size;
  PC          pc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-ksp_type", &c->ksp_chosen));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_type", &c->pc_chosen));
  c->kind = c->asked;
  if (c->asked == ABUT_LINEAR_AUTO) c->kind = unknowns / size >= c->multigrid_min ? ABUT_LINEAR_MULTIGRID : ABUT_LINEAR_DIRECT;
  c->may_substructure = (PetscBool)(c->kind == ABUT_LINEAR_DIRECT && size > 1 && !c->pc_chosen);
  PetscCall(IsFactorisation(c, &factorisation));
  PetscCall(KSPSetType(ksp, factorisation ? KSPPREONLY : KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  if (c->kind == ABUT_LINEAR_MULTIGRID) {
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetNSmooths(pc, 0)); /* unsmoothed: smoothing takes three times the memory and set-up time for 15 % fewer iterations */
  } else if (c->kind == ABUT_LINEAR_SCHWARZ) {
    PetscCall(SetSchwarz(pc));
  } else {
    PetscCall(PCSetType(pc, size > 1 ? "abut-substructure" : "abut-cholesky"));
  }
  PetscFunctionReturn(0);
}

/* Replaces substructuring by Schwarz or by a factorisation on one rank, or returns to substructuring. */
static PetscErrorCode SetAlternative(AbutLinearChoice *c, KSP ksp, PC pc)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  c->kind = c->asked == ABUT_LINEAR_AUTO && !c->substructured ? ABUT_LINEAR_SCHWARZ : ABUT_LINEAR_DIRECT;
  if (c->kind == ABUT_LINEAR_SCHWARZ) {
    PetscCall(SetSchwarz(pc));
  } else if (!c->substructured) {
    PetscCall(PCSetType(pc, PCTELESCOPE));
    PetscCall(PCTelescopeSetReductionFactor(pc, size));
  }
  if (!c->ksp_chosen) PetscCall(KSPSetType(ksp, c->kind == ABUT_LINEAR_DIRECT ? KSPPREONLY : KSPCG));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_DEFAULT));
  PetscCall(PCSetFromOptions(pc));
  PetscFunctionReturn(0);
}

/* Decides for or against substructuring by the cost of the interface problem, which is equal in a restarted run (same pattern). */
static PetscErrorCode ChooseSubstructuring(AbutLinearChoice *c, KSP ksp, PC pc, Mat A, PetscBool *changed)
{
  const PetscBool before = c->substructured;
  PetscReal       interior, interface;

  PetscFunctionBegin;
  PetscCall(AbutPhaseBegin(ABUT_PHASE_LINEAR_SETUP));
  if (!before) PetscCall(PCSetType(pc, "abut-substructure"));
  PetscCall(AbutSubstructureAnalyze(pc, A, &interior, &interface));
  c->substructured = (PetscBool)(interface <= PetscMin(c->interface_ratio * interior + c->interface_free, c->interface_max));
  PetscCall(PetscInfo(ksp, "Operations on the busiest rank %g, on the interface %g\n", (double)interior, (double)interface));
  *changed = (PetscBool) !(c->substructured && before);
  if (*changed) PetscCall(SetAlternative(c, ksp, pc));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_LINEAR_SETUP));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLinearChoiceSetPattern(AbutLinearChoice *c, KSP ksp, Mat A, PetscBool *changed)
{
  PetscBool keeps;
  PC        pc;

  PetscFunctionBegin;
  *changed = (PetscBool)(c->kind == ABUT_LINEAR_MULTIGRID); /* the finest level of GAMG refers to the old matrix, whose arrays are freed */
  PetscCall(KSPGetPC(ksp, &pc));
  if (c->may_substructure) PetscCall(ChooseSubstructuring(c, ksp, pc, A, changed));
  /* PETSc 3.18: PCTELESCOPE copies into the old pattern and fails; PCASM keeps the overlap of the first pattern. */
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &keeps, PCTELESCOPE, PCASM, ""));
  if (keeps) PetscCall(PCReset(pc));
  *changed = (PetscBool)(*changed || keeps);
  PetscFunctionReturn(0);
}
