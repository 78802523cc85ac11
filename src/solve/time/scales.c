/* Scales of the bodies: lengths, masses, elastic stiffness; quantities of a scene relative to them. */
#include "timeimpl.h"

const char *const AbutIntegrators[] = {"implicit-euler", "newmark",        "contact-implicit-newmark", "bdf2",
                                       "quasi-static",   "AbutIntegrator", "ABUT_INTEGRATOR_",         NULL};

PetscReal AbutQuantityResolve(const AbutQuantity *quantity, PetscReal length)
{
  return quantity->relative ? quantity->value * length : quantity->value;
}

PetscReal AbutStepSpecLength(const AbutStepSpec *spec, PetscReal diagonal)
{
  return spec->reference_length > 0 ? spec->reference_length : diagonal;
}

PetscErrorCode AbutScalesCreate(const AbutModelParts *parts, const AbutStepSpec *spec, Scales *scales)
{
  const AbutMeshLocal *ml      = AbutMeshGetLocal(parts->mesh);
  PetscReal            sums[2] = {0, 0};
  MPI_Comm             comm    = AbutMeshGetComm(parts->mesh);

  PetscFunctionBegin;
  scales->length    = AbutStepSpecLength(spec, ml->global.diagonal);
  scales->dhat      = AbutQuantityResolve(&spec->dhat, scales->length);
  scales->tolerance = AbutQuantityResolve(&spec->tolerance, scales->length);
  PetscCall(PetscCalloc3(ml->num_owned, &scales->vertex_mass, ml->num_owned, &scales->damping, ml->num_bodies, &scales->body_stiffness));
  PetscCall(AbutElasticGetMass(parts->elastic, scales->vertex_mass, scales->damping));
  for (PetscInt v = 0; v < ml->num_owned; v++)
    if (scales->vertex_mass[v] > 0) sums[0] += scales->vertex_mass[v], sums[1] += 1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, comm));
  scales->mass = (AbutLumpedMass){.vertex = scales->vertex_mass, .mean = sums[1] > 0 ? sums[0] / sums[1] : 1, .total = sums[0]};
  PetscFunctionReturn(0);
}

/*
  Quasi-static steps have no time scale, but penalties relate masses to stiffness. Their factor of forces is therefore the square of an
  elastic time scale: mass over stiffness of a vertex at rest.
*/
PetscErrorCode AbutScalesSetStiffness(AbutObjective objective, const AbutModelParts *parts, AbutTies ties, Scales *scales)
{
  enum { MASS, STIFFNESS, LOGARITHM, COUNT, NUM_SUMS };
  const AbutMeshLocal *ml             = AbutMeshGetLocal(parts->mesh);
  PetscReal            sums[NUM_SUMS] = {0}, *diagonal;
  MPI_Comm             comm           = AbutMeshGetComm(parts->mesh);

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ml->num_owned * ml->dim, &diagonal));
  PetscCall(AbutObjectiveElasticDiagonal(objective, parts->elastic, diagonal));
  if (ties) {
    PetscCall(PetscCalloc1(ml->num_bodies, &scales->tie_stiffness));
    PetscCall(AbutTiesSetStiffness(ties, diagonal));
    PetscCall(AbutTiesGetLargestStiffness(ties, scales->tie_stiffness));
  }
  for (PetscInt v = 0; v < ml->num_owned; v++)
    for (PetscInt i = 0; i < ml->dim && scales->vertex_mass[v] > 0; i++) {
      const PetscReal stiffness = diagonal[v * ml->dim + i];
      PetscReal      *largest   = &scales->body_stiffness[ml->vertex_body[v]];
      *largest                  = PetscMax(*largest, stiffness);
      sums[MASS] += scales->vertex_mass[v];
      sums[STIFFNESS] += stiffness;
      sums[LOGARITHM] += PetscLogReal(stiffness);
      sums[COUNT] += 1;
    }
  PetscCall(PetscFree(diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, scales->body_stiffness, (PetscMPIInt)ml->num_bodies, MPIU_REAL, MPIU_MAX, comm));
  scales->mean_stiffness = sums[COUNT] > 0 ? PetscExpReal(sums[LOGARITHM] / sums[COUNT]) : 0;
  scales->static_c2      = sums[STIFFNESS] > 0 ? sums[MASS] / sums[STIFFNESS] : 1;
  PetscFunctionReturn(0);
}
