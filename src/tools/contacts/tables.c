/* quality.csv, areas.csv and rigid.csv: measures of point contacts by method and step. */
#include "results.h"

static const char quality_header[] = "case,method,step,contacts,quality_percent,coverage_percent,excess,weighted_quality_percent,"
                                     "weighted_coverage_percent,weighted_excess,weight_sum\n";
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
  AbutTableClose(&r->quality_csv);
  AbutTableClose(&r->areas_csv);
  AbutTableClose(&r->rigid_csv);
  PetscFunctionReturn(0);
}

/* The first columns of every table. */
static void RowBegin(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  AbutTextAppend(t, "%s,%s,%" PetscInt_FMT, r->name, level->method, level->step);
}

/* Twelve digits: contact forces of a potential depend on the number of ranks in their last bits. */
static void Reals(AbutText *t, PetscInt n, const PetscReal values[])
{
  for (PetscInt i = 0; i < n; i++) AbutTextAppend(t, ",%.12g", (double)(values[i] + 0.)); /* no negative zero */
}

static void QualityRow(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutContactQuality *q   = level->quality;
  PetscReal                 sum = 0;

  for (PetscInt i = 0; i < level->contacts->n; i++) sum += level->contacts->a[i].weight;
  RowBegin(t, r, level);
  AbutTableInteger(t, q ? q->contacts : level->contacts->n);
  if (q)
    Reals(t, 6, (PetscReal[]){q->quality, q->coverage, q->excess, q->weighted_quality, q->weighted_coverage, q->weighted_excess});
  else
    AbutTextAppend(t, ",nan,nan,nan,nan,nan,nan");
  Reals(t, 1, &sum);
  AbutTextAppend(t, "\n");
}

static void AreaRows(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(r->mesh);

  for (PetscInt k = 0; k < level->num_areas; k++) {
    const AbutContactAreaRow *row = &level->areas[k];

    RowBegin(t, r, level);
    for (int side = 0; side < 2; side++) AbutTableText(t, m->bodies[row->body[side]].name);
    Reals(t, 3, row->normal);
    AbutTableInteger(t, row->contacts);
    Reals(t, 3, (PetscReal[]){row->area, row->expected, row->quality});
    AbutTextAppend(t, "\n");
  }
}

static void RigidRow(AbutText *t, AbutContactResults r, const AbutContactLevel *level)
{
  const AbutRigidReport *report = level->report;

  RowBegin(t, r, level);
  Reals(t, 1, &level->time);
  AbutTableInteger(t, report->contacts);
  Reals(t, 4, (PetscReal[]){report->kinetic, report->potential, report->penetration, report->residual});
  AbutTableInteger(t, report->iterations);
  AbutTextAppend(t, "\n");
}

typedef void (*RowsFn)(AbutText *t, AbutContactResults results, const AbutContactLevel *level);

static PetscErrorCode Put(AbutContactResults r, AbutTable *table, RowsFn rows, const AbutContactLevel *level)
{
  AbutText t = {0};

  PetscFunctionBegin;
  rows(&t, r, level);
  PetscCall(AbutTablePut(table, &t));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactTablesAdd(AbutContactResults r, const AbutContactLevel *level)
{
  PetscFunctionBegin;
  PetscCall(Put(r, &r->quality_csv, QualityRow, level));
  PetscCall(Put(r, &r->areas_csv, AreaRows, level));
  if (level->report) PetscCall(Put(r, &r->rigid_csv, RigidRow, level));
  PetscFunctionReturn(0);
}
