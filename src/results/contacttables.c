/* quality.csv, areas.csv and rigid.csv: measures of point contacts by method and step. */
#include "contactsimpl.h"

static const char quality_header[] = "case,method,step,contacts,quality_percent,coverage_percent,excess,weighted_quality_percent,"
                                     "weighted_coverage_percent,weighted_excess,force_N\n";
static const char areas_header[]   = "case,method,step,body_a,body_b,normal_x,normal_y,normal_z,contacts,area_m2,expected_m2,"
                                     "mean_normal_quality\n";
static const char rigid_header[]   = "case,method,step,time_s,contacts,kinetic_J,potential_J,penetration_m,residual_N_s,iterations\n";

PetscErrorCode AbutContactTablesOpen(AbutContactResults r, const char directory[])
{
  PetscFunctionBegin;
  PetscCall(AbutTableOpen(&r->quality_csv, directory, "quality.csv", quality_header, PETSC_FALSE, 0));
  PetscCall(AbutTableOpen(&r->areas_csv, directory, "areas.csv", areas_header, PETSC_FALSE, 0));
  PetscCall(AbutTableOpen(&r->rigid_csv, directory, "rigid.csv", rigid_header, PETSC_FALSE, 0));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactTablesClose(AbutContactResults r)
{
  PetscFunctionBegin;
  PetscCall(AbutTableClose(&r->quality_csv));
  PetscCall(AbutTableClose(&r->areas_csv));
  PetscCall(AbutTableClose(&r->rigid_csv));
  PetscFunctionReturn(0);
}

/* The first columns of every table. */
static PetscErrorCode RowBegin(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  return AbutTextAppend(t, "%s,%s,%" PetscInt_FMT, r->name, level->method, level->step);
}

static PetscErrorCode Reals(AbutText *t, PetscInt n, const PetscReal values[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTableReal(t, values[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode QualityRow(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutContactQuality *q     = level->quality;
  PetscReal                 force = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < level->contacts->n; i++) force += level->contacts->a[i].weight;
  PetscCall(RowBegin(t, r, level));
  PetscCall(AbutTableInteger(t, q ? q->contacts : level->contacts->n));
  if (q)
    PetscCall(
      Reals(t, 6, (PetscReal[]){q->quality, q->coverage, q->excess, q->weighted_quality, q->weighted_coverage, q->weighted_excess}));
  else
    PetscCall(AbutTextAppend(t, ",nan,nan,nan,nan,nan,nan"));
  PetscCall(AbutTableReal(t, force));
  PetscCall(AbutTextAppend(t, "\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode AreaRows(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(r->mesh);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < level->num_areas; k++) {
    const AbutContactAreaRow *row = &level->areas[k];

    PetscCall(RowBegin(t, r, level));
    for (int side = 0; side < 2; side++) PetscCall(AbutTableText(t, m->bodies[row->body[side]].name));
    PetscCall(Reals(t, 3, row->normal));
    PetscCall(AbutTableInteger(t, row->contacts));
    PetscCall(Reals(t, 3, (PetscReal[]){row->area, row->expected, row->quality}));
    PetscCall(AbutTextAppend(t, "\n"));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode RigidRow(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutRigidReport *report = level->report;

  PetscFunctionBegin;
  PetscCall(RowBegin(t, r, level));
  PetscCall(AbutTableReal(t, level->time));
  PetscCall(AbutTableInteger(t, report->contacts));
  PetscCall(Reals(t, 4, (PetscReal[]){report->kinetic, report->potential, report->penetration, report->residual}));
  PetscCall(AbutTableInteger(t, report->iterations));
  PetscCall(AbutTextAppend(t, "\n"));
  PetscFunctionReturn(0);
}

typedef PetscErrorCode (*RowsFn)(AbutText *t, AbutContactResults results, const AbutContactLevel *level);

static PetscErrorCode Put(AbutContactResults r, AbutTable *table, RowsFn rows, const AbutContactLevel *level)
{
  AbutText       t = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(rows(&t, r, level));
  code = t.length ? AbutTablePut(table, &t) : 0;
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutContactTablesAdd(AbutContactResults r, const AbutContactLevel *level)
{
  PetscFunctionBegin;
  PetscCall(Put(r, &r->quality_csv, QualityRow, level));
  PetscCall(Put(r, &r->areas_csv, AreaRows, level));
  if (level->report) PetscCall(Put(r, &r->rigid_csv, RigidRow, level));
  PetscFunctionReturn(0);
}
