/* Life cycle of the elastic object: checks materials, computes shape function gradients, volumes and lumped mass. */
#include "quadratic.h"

static PetscErrorCode CheckMaterial(const AbutMaterialSpec *spec)
{
  PetscFunctionBegin;
  AbutCheck(spec->young > 0 && !PetscIsInfOrNanReal(spec->young), ABUT_ERR_INPUT, "material \"%s\": young is %g Pa, must be positive",
            spec->name, (double)spec->young);
  AbutCheck(spec->poisson > -1 && spec->poisson < 0.5, ABUT_ERR_INPUT, "material \"%s\": poisson is %g, must be above -1 and below 0.5",
            spec->name, (double)spec->poisson);
  AbutCheck(spec->poisson >= 0 || AbutMaterialGetOps(spec->kind)->auxetic, ABUT_ERR_INPUT,
            "material \"%s\": poisson is %g, must be in [0, 0.5) for %s, whose energy has no lower bound otherwise", spec->name,
            (double)spec->poisson, AbutMaterialKinds[spec->kind]);
  AbutCheck(spec->poisson >= 0 || spec->incompressible != ABUT_INCOMPRESSIBLE_MEAN_DILATATION, ABUT_ERR_INPUT,
            "material \"%s\": mean dilatation needs a Poisson's ratio of at least 0; poisson is %g", spec->name, (double)spec->poisson);
  AbutCheck(spec->density > 0 && !PetscIsInfOrNanReal(spec->density), ABUT_ERR_INPUT,
            "material \"%s\": density is %g kg/m^3, must be positive", spec->name, (double)spec->density);
  AbutCheck(spec->mooney >= 0 && spec->mooney <= 1, ABUT_ERR_INPUT, "material \"%s\": mooney is %g, must be in [0, 1]", spec->name,
            (double)spec->mooney);
  AbutCheck(spec->kind != ABUT_MATERIAL_OGDEN || !AbutOgdenObjection(spec->num_ogden, spec->ogden), ABUT_ERR_INPUT, "material \"%s\": %s",
            spec->name, AbutOgdenObjection(spec->num_ogden, spec->ogden));
  AbutCheck(spec->kind != ABUT_MATERIAL_J2_PLASTICITY || (spec->yield > 0 && spec->yield < PETSC_INFINITY), ABUT_ERR_INPUT,
            "material \"%s\": yield is %g Pa, must be positive and finite", spec->name, (double)spec->yield);
  AbutCheck(spec->hardening >= 0 && spec->hardening < PETSC_INFINITY, ABUT_ERR_INPUT,
            "material \"%s\": hardening is %g Pa, must be finite and at least 0", spec->name, (double)spec->hardening);
  AbutCheck(spec->damping_mass >= 0 && spec->damping_mass < PETSC_INFINITY, ABUT_ERR_INPUT,
            "material \"%s\": damping mass is %g 1/s, must be finite and at least 0", spec->name, (double)spec->damping_mass);
  AbutCheck(spec->damping_stiffness >= 0 && spec->damping_stiffness < PETSC_INFINITY, ABUT_ERR_INPUT,
            "material \"%s\": damping stiffness is %g s, must be finite and at least 0", spec->name, (double)spec->damping_stiffness);
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckProny(const AbutMaterialSpec *spec)
{
  const AbutMaterialOps *ops = AbutMaterialGetOps(spec->kind);

  PetscFunctionBegin;
  AbutCheck(!spec->num_prony || (ops->barrier && !ops->flow), ABUT_ERR_INPUT,
            "material \"%s\": prony is for the models neo-hookean, mooney-rivlin and ogden; the model is %s", spec->name,
            AbutMaterialKinds[spec->kind]);
  for (PetscInt b = 0; b < spec->num_prony; b++)
    AbutCheck(
      spec->prony[b].shear > 0 && spec->prony[b].time > 0 && spec->prony[b].shear < PETSC_INFINITY && spec->prony[b].time < PETSC_INFINITY,
      ABUT_ERR_INPUT, "material \"%s\": term %" PetscInt_FMT " of prony has shear %g Pa and time %g s, both must be positive and finite",
      spec->name, b, (double)spec->prony[b].shear, (double)spec->prony[b].time);
  PetscFunctionReturn(0);
}

static PetscBool HasMeanDilatation(const AbutMaterialSpec *spec)
{
  if (spec->incompressible != ABUT_INCOMPRESSIBLE_AUTO) return (PetscBool)(spec->incompressible == ABUT_INCOMPRESSIBLE_MEAN_DILATATION);
  return (PetscBool)(spec->poisson >= ABUT_MEAN_DILATATION_POISSON || (spec->kind == ABUT_MATERIAL_J2_PLASTICITY && spec->poisson >= 0));
}

/* The terms of all materials, one after the other. */
static PetscErrorCode CopyOgden(AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[])
{
  PetscInt num = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num_materials; i++) num += specs[i].num_ogden;
  PetscCall(PetscMalloc1(num, &el->ogden));
  num = 0;
  for (PetscInt i = 0; i < num_materials; num += specs[i++].num_ogden)
    PetscCall(PetscArraycpy(el->ogden + num, specs[i].ogden, specs[i].num_ogden));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetMaterials(AbutElastic el, PetscInt num_materials, const AbutMaterialSpec specs[])
{
  const AbutMeshLocal *local = el->local;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num_materials, &el->materials));
  PetscCall(PetscMalloc1(num_materials, &el->deviatoric));
  PetscCall(CopyOgden(el, num_materials, specs));
  for (PetscInt i = 0, term = 0; i < num_materials; term += specs[i++].num_ogden) {
    AbutMaterial *material = el->materials + i;
    PetscCall(CheckMaterial(specs + i));
    PetscCall(CheckProny(specs + i));
    AbutMaterialGetConstants(specs + i, &material->constants);
    material->constants.ogden   = el->ogden + term;
    material->ops               = AbutMaterialGetOps(specs[i].kind);
    material->density           = specs[i].density;
    material->damping_mass      = specs[i].damping_mass;
    material->damping_stiffness = specs[i].damping_stiffness;
    material->mean_dilatation   = HasMeanDilatation(specs + i);
    material->of_point          = (PetscBool) !!material->ops->flow;
    el->deviatoric[i]           = *material;
    if (material->mean_dilatation) el->deviatoric[i].constants.lambda = 0;
  }
  for (PetscInt b = 0; b < local->num_bodies; b++) {
    const AbutBody *body = local->bodies + b;
    for (PetscInt r = -1; r < body->num_regions && !body->obstacle; r++) {
      const PetscInt material = AbutBodyMaterial(body, r);
      AbutCheck(material >= 0 && material < num_materials, ABUT_ERR_INPUT,
                "body \"%s\": material is number %" PetscInt_FMT ", must be in [0, %" PetscInt_FMT ")", body->name, material,
                num_materials);
      el->young = PetscMax(el->young, specs[material].young);
    }
  }
  PetscCall(PetscMalloc1(local->num_cells, &el->cell_material));
  for (PetscInt c = 0; c < local->num_cells; c++)
    el->cell_material[c] = AbutBodyMaterial(&local->bodies[local->cell_body[c]], AbutMeshGetCellRegion(el->mesh, c));
  PetscFunctionReturn(0);
}

/* Computes shape function gradients, the rows of D^-1, and volumes det D / dim!. The columns of D are the rest edges of the cell. */
static PetscErrorCode SetShapes(AbutElastic el)
{
  const AbutMeshLocal *local = el->local;
  const PetscInt       dim = local->dim, n = dim * dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n * local->num_cells, &el->gradients, local->num_cells, &el->volumes));
  for (PetscInt c = 0; c < local->num_cells; c++) {
    PetscReal e[9], C[9], det;

    AbutCellEdges(dim, local->cells + (dim + 1) * c, local->rest, e);
    det = AbutCofactor(dim, e, C); /* e is D^T, row-major, hence D^-1 = C / det */
    AbutCheck(det > 0, ABUT_ERR_INPUT, "body \"%s\": cell %" PetscInt_FMT " has the volume %g m^%d at rest, must be positive",
              local->bodies[local->cell_body[c]].name, local->cell_id[c], (double)(det / (dim == 3 ? 6 : 2)), (int)dim);
    for (PetscInt i = 0; i < n; i++) el->gradients[n * c + i] = C[i] / det;
    el->volumes[c] = det / (dim == 3 ? 6 : 2);
  }
  PetscFunctionReturn(0);
}

/* Whether one of the first `num` nodes of cell c moves. */
static PetscBool Moves(const AbutMeshLocal *local, PetscInt c, PetscInt num, const PetscBool moving[])
{
  PetscBool moves = (PetscBool)!moving;

  for (PetscInt a = 0; a < num && !moves; a++) moves = moving[AbutCellNode(local, c, a)];
  return moves;
}

/* Some cells have no material in a viscoelastic branch. */
static PetscBool HasMaterial(AbutElastic el, PetscInt c)
{
  return (PetscBool)(el->cell_material[c] >= 0);
}

void AbutElasticRestrict(AbutElastic el, const PetscBool moving[])
{
  const AbutMeshLocal *local = el->local;
  AbutQuadratic       *quad  = &el->quadratic;

  el->num_active = quad->num_active = 0;
  for (PetscInt c = 0; c < local->num_cells; c++)
    if (!AbutCellIsQuadratic(local, c) && HasMaterial(el, c) && Moves(local, c, local->dim + 1, moving)) el->active[el->num_active++] = c;
  for (PetscInt i = 0; i < quad->num; i++)
    if (HasMaterial(el, quad->cell[i]) && Moves(local, quad->cell[i], AbutNodes(local->dim), moving)) quad->active[quad->num_active++] = i;
  for (PetscInt b = 0; b < el->num_branches; b++) AbutElasticRestrict(el->branches[b], moving);
}

PetscErrorCode AbutElasticCreate(AbutMesh mesh, PetscInt num_materials, const AbutMaterialSpec materials[], AbutElastic *elastic)
{
  MPI_Comm    comm = AbutMeshGetComm(mesh);
  AbutElastic el;

  PetscFunctionBegin;
  PetscCall(PetscNew(&el));
  *elastic  = el;
  el->mesh  = mesh;
  el->local = AbutMeshGetLocal(mesh);
  PetscCall(SetMaterials(el, num_materials, materials));
  PetscCall(AbutAgree(comm, SetShapes(el)));
  PetscCall(AbutAgree(comm, AbutQuadraticCreate(el)));
  PetscCall(AbutBranchesCreate(el, num_materials, materials));
  PetscCall(AbutHistoryCreate(el, num_materials));
  PetscCall(PetscMalloc1(el->local->num_cells, &el->active));
  AbutElasticRestrict(el, NULL);
  PetscCall(AbutElasticSetDamping(el, num_materials));
  PetscFunctionReturn(0);
}

PetscReal AbutElasticGetLargestYoung(AbutElastic elastic)
{
  return elastic->young;
}

PetscReal AbutElasticGetRoundOff(AbutElastic el)
{
  PetscReal sum = 0;

  for (PetscInt c = 0; c < el->local->num_cells; c++) sum += el->volumes[c] * el->materials[el->cell_material[c]].constants.mu;
  return PETSC_MACHINE_EPSILON * sum;
}

PetscErrorCode AbutElasticDestroy(AbutElastic *elastic)
{
  PetscFunctionBegin;
  if (!*elastic) PetscFunctionReturn(0);
  PetscCall(AbutBranchesDestroy(*elastic));
  PetscCall(AbutHistoryDestroy(*elastic));
  PetscCall(AbutQuadraticDestroy(*elastic));
  PetscCall(PetscFree((*elastic)->materials));
  PetscCall(PetscFree((*elastic)->deviatoric));
  PetscCall(PetscFree((*elastic)->ogden));
  PetscCall(PetscFree((*elastic)->cell_material));
  PetscCall(PetscFree2((*elastic)->gradients, (*elastic)->volumes));
  PetscCall(PetscFree((*elastic)->active));
  PetscCall(PetscFree3((*elastic)->damping.cell, (*elastic)->damping.point, (*elastic)->damping.strain));
  PetscCall(PetscFree(*elastic));
  PetscFunctionReturn(0);
}

/* Adds mass and damping of cell c to its nodes: sum[2 * v], sum[2 * v + 1]. */
static void AddMass(AbutElastic el, PetscInt c, PetscReal sum[])
{
  const AbutMeshLocal *local     = el->local;
  const AbutMaterial  *m         = el->materials + el->cell_material[c];
  const PetscBool      quadratic = AbutCellIsQuadratic(local, c);
  const PetscInt       nodes     = quadratic ? AbutNodes(local->dim) : local->dim + 1;
  const PetscReal      mass = m->density * el->volumes[c], equal = mass / (local->dim + 1);
  PetscReal            share[10];

  AbutQuadraticMass(local->dim, share);
  for (PetscInt a = 0; a < nodes; a++) {
    const PetscReal part = quadratic ? mass * share[a] : equal;
    PetscReal      *at   = sum + 2 * AbutCellNode(local, c, a);

    at[0] += part;
    at[1] += part * m->damping_mass;
  }
}

PetscErrorCode AbutElasticGetMass(AbutElastic el, PetscReal mass[], PetscReal damping[])
{
  const AbutMeshLocal *local = el->local;
  PetscReal           *sum; /* [num_local * 2] mass, damping */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(2 * local->num_local, &sum));
  for (PetscInt c = 0; c < local->num_cells; c++) AddMass(el, c, sum);
  PetscCall(AbutMeshReduceAdd(el->mesh, 2, sum));
  for (PetscInt v = 0; v < local->num_owned; v++) {
    mass[v] = sum[2 * v];
    if (damping) damping[v] = sum[2 * v + 1];
  }
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutElasticGetSmallestJacobian(AbutElastic el, PetscReal ratio[])
{
  const AbutMeshLocal *local = el->local;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < local->num_bodies; b++) ratio[b] = 1;
  for (PetscInt i = 0; i < el->quadratic.num; i++) {
    const PetscInt  c    = el->quadratic.cell[i];
    const PetscReal mean = el->volumes[c] * (local->dim == 3 ? 6 : 2);

    PetscReal *least = &ratio[local->cell_body[c]];

    *least = PetscMin(*least, AbutQuadraticSmallestCorner(local, c, local->rest) / mean);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ratio, (PetscMPIInt)local->num_bodies, MPIU_REAL, MPIU_MIN, AbutMeshGetComm(el->mesh)));
  PetscFunctionReturn(0);
}
