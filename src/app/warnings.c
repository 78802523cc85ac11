/* Warnings about a run that goes on, on standard error. */
#include "app.h"
#include <stdarg.h>
#include <string.h>

#define MOST_LINES    10   /* of a kind */
#define GROWTH        0.05 /* of the largest energy: larger growths and losses by the integrator are warned of */
#define SOFT          20   /* compression of a squeezed body over the activation distance; below it gaps take 10 % of the force */
#define THIN          0.5  /* of the smallest extent of a body: activation distances above it are warned of */
#define TOUCH         0.01 /* of the largest contact force of a run: smaller ones may be round-off without a warning */
#define LARGEST_LEVER 0.01 /* of the height of a cell: mean gaps of tied surfaces above it are warned of */
/* Part of the elastic energy in ties that is warned of: measured up to 2e-4, by design at most 1 / ABUT_TIE_STIFFNESS. */
#define TORN 0.005
/*
  Fraction of the diagonal of the smallest body in a second: speeds of incomplete friction above it are warned of. A block that should stick
  on a slope of 0.25 with mu = 0.3 creeps at 0.7 times this speed: a small part on a large one by a sixth of its size in a second.
*/
#define FAST 0.05
/*
  Creep of contacts that stick over the displacements, both of all steps: larger ones are warned of. The forces of a pad that is pressed and
  sheared by a tenth of its height between plates are 0.6, 1.1, 2.7, 5, 9, 16 and 26 % too small with 0.005, 0.009, 0.022, 0.041, 0.074,
  0.13 and 0.23 (implicit Euler in 1 to 100 s with the default of contact.friction.speed); scenes that are fast enough have up to 0.016.
*/
#define MOST_CREEP 0.017
/*
  Jumps of the largest contact force from step to step under Newmark's method, as a fraction of the jumps of a force that alternates between
  0 and twice its mean; and least number of steps with contact. Measured: 0.97 for a press with mass that falls on a light bar, whose
  forces are wrong by any factor, 0.48 for a ball that bounces in steps of a sixth of the impact, 0.13 for one at rest in fine steps.
*/
#define MOST_JUMPS  0.3
#define LEAST_STEPS 10

/* A line on a step, on a line of its own beside the bar of progress. Collective. */
static PetscErrorCode WarnOfStep(const Progress *progress, PetscInt step, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
static PetscErrorCode WarnOfStep(const Progress *progress, PetscInt step, const char format[], ...)
{
  char    text[512];
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(text, sizeof(text), format, NULL, args));
  va_end(args);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(progress->comm, "step %" PetscInt_FMT ": %s", step, text));
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfHalving(Warnings *w, const Progress *progress, PetscInt step, const AbutStepReport *r)
{
  PetscFunctionBegin;
  if (!r->halvings || w->halving) PetscFunctionReturn(0);
  w->halving = PETSC_TRUE;
  PetscCall(WarnOfStep(progress, step,
                       "converged only after its length was halved %" PetscInt_FMT
                       " times, to %g s (limiter: %s); column halvings of steps.csv lists all such steps",
                       r->halvings, (double)r->dt, AbutLimiters[r->search.limiter]));
  PetscFunctionReturn(0);
}

/* Each of the first steps whose forces are not balanced is named; column imbalance of steps.csv and summary.json have all of them. */
static PetscErrorCode WarnOfImbalance(Warnings *w, const Progress *progress, const AbutMeshLocal *mesh, PetscReal limit, PetscInt step,
                                      const AbutForceReport *r)
{
  PetscFunctionBegin;
  if (!r->unbalanced || ++w->unbalanced > MOST_LINES) PetscFunctionReturn(0);
  PetscCall(
    WarnOfStep(progress, step,
               "forces on body '%s' are not balanced: imbalance %.3g, solver.balance allows %g; a shorter time step, a larger "
               "contact.dhat or contact.friction.speed, or -abut_linear direct help if forces matter; see column imbalance of steps.csv%s",
               r->imbalance_body < 0 ? "(driven plane)" : mesh->bodies[r->imbalance_body].name, (double)r->imbalance, (double)limit,
               w->unbalanced == MOST_LINES ? "; further steps are not named" : ""));
  PetscFunctionReturn(0);
}

/* Keeps the largest contact force of steps whose forces are round-off. */
static void KeepRoundOff(Warnings *w, PetscInt step, const AbutForceReport *r)
{
  w->largest_force = PetscMax(w->largest_force, r->contact_max);
  if (!r->at_round_off) return;
  w->round_off_force = PetscMax(w->round_off_force, r->contact_max);
  if (w->round_off_step) return;
  w->round_off_step = step;
  w->round_off      = r->imbalance;
}

/* In bodies that are tiny, very stiff or far from the origin, contact forces have few digits or none. The small forces of a first touch
   have few digits, too, but do not matter beside later ones. */
static PetscErrorCode WarnOfRoundOff(const Warnings *w, const Progress *progress)
{
  PetscFunctionBegin;
  if (!w->round_off_step || w->round_off_force < TOUCH * w->largest_force) PetscFunctionReturn(0);
  PetscCall(WarnOfStep(progress, w->round_off_step,
                       "forces on a body are known to the round-off of positions only (imbalance %.3g); shift the scene to the origin, "
                       "or use a larger contact.dhat; imbalance_round_off_steps of summary.json counts such steps",
                       (double)w->round_off));
  PetscFunctionReturn(0);
}

/* Keeps the largest force that squeezed a body; force times compression is at most twice the elastic and dissipated energy of all. */
static void KeepSqueeze(Warnings *w, PetscInt step, const AbutStepReport *r)
{
  if (r->force.squeeze <= w->squeeze) return;
  w->squeeze       = r->force.squeeze;
  w->compression   = 2 * (r->energy.elastic + r->energy.dissipated) / r->force.squeeze;
  w->squeezed_body = r->force.squeezed_body;
  w->squeezed_step = step;
}

/* Whether prescribed motions do work; some only hold vertices. */
static PetscBool Moves(const AbutScene *scene)
{
  for (PetscInt m = 0; m < scene->num_motions; m++)
    if (AbutMotionMoves(&scene->motions[m])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool LoadsChange(const AbutScene *scene)
{
  for (PetscInt l = 0; l < scene->num_loads; l++)
    if (scene->loads[l].table.num) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
  Creep changes forces where motions or loads deform bodies between surfaces that stick, or drag them slowly. What rests under constant
  loads keeps its forces while it creeps.
*/
static PetscErrorCode WarnOfCreep(const Warnings *w, const Progress *progress, const AbutScene *scene)
{
  const PetscBool is_static = (PetscBool)(scene->step.integrator == ABUT_INTEGRATOR_STATIC);

  PetscFunctionBegin;
  if (w->creep <= MOST_CREEP * w->path || !(is_static || Moves(scene) || LoadsChange(scene))) PetscFunctionReturn(0);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(progress->comm,
                     "contacts that stick creep, slower than contact.friction.speed, by %.3g m in all, while bodies move by %.3g m: their "
                     "forces can be too small by about this share, or more; %s",
                     (double)w->creep, (double)w->path,
                     is_static ? "remove contact.friction.speed and contact.reference_length, so that it follows the displacements of the "
                                 "steps, or choose smaller values"
                               : "choose a contact.friction.speed well below the speeds of the motions"));
  PetscFunctionReturn(0);
}

static void KeepUnsettled(Warnings *w, const AbutStepReport *r)
{
  if (r->friction_settled) return;
  w->unsettled++;
  w->friction_change = PetscMax(w->friction_change, r->friction_residual);
}

static PetscErrorCode WarnOfUnsettled(const Warnings *w, const Progress *progress, const AbutStepSpec *spec)
{
  const PetscBool is_static = (PetscBool)(spec->integrator == ABUT_INTEGRATOR_STATIC);

  PetscFunctionBegin;
  if (!w->unsettled) PetscFunctionReturn(0);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(progress->comm,
                     "in %" PetscInt_FMT
                     " steps friction still changed in the last of the repeated solves (column friction_lags of steps.csv), "
                     "and with it %s by about %.3g m%s (column friction_residual_m_per_s): shorter steps%s help",
                     w->unsettled, is_static ? "displacements" : "velocities", (double)w->friction_change, is_static ? "" : "/s",
                     spec->friction_converge ? ", or a larger contact.friction.most_lags," : ""));
  PetscFunctionReturn(0);
}

/* Keeps the jumps of the contact force: second differences are four times the mean where it alternates, and small where it is resolved. */
static void KeepJumps(Warnings *w, PetscReal force)
{
  w->jumps += PetscAbsReal(force - 2 * w->force[0] + w->force[1]);
  w->forces += force;
  w->forced += force > 0;
  w->force[1] = w->force[0];
  w->force[0] = force;
}

static PetscErrorCode WarnOfJumps(const Warnings *w, const Progress *progress, const AbutStepSpec *spec)
{
  PetscFunctionBegin;
  if (spec->integrator != ABUT_INTEGRATOR_NEWMARK || w->forced < LEAST_STEPS || w->jumps <= 4 * MOST_JUMPS * w->forces)
    PetscFunctionReturn(0);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(progress->comm,
                     "contact forces jump from step to step, by %.0f %% of a force that alternates between 0 and twice its "
                     "mean: time.integrator newmark does not damp this, and single values mean little; use "
                     "contact-implicit-newmark, bdf2 or implicit-euler if forces matter",
                     (double)(100 * w->jumps / (4 * w->forces))));
  PetscFunctionReturn(0);
}

/* Rotation with the angular velocity w loses the share w^2 h of its energy in a second. Impacts are not counted. */
static PetscErrorCode WarnOfDamping(const Warnings *w, const Progress *progress)
{
  PetscFunctionBegin;
  if (w->damped <= GROWTH * w->most_energy) PetscFunctionReturn(0);
  PetscCall(ProgressEndLine(progress));
  PetscCall(AbutWarn(
    progress->comm,
    "time.integrator implicit-euler damps rotation and vibration: it took about %.3g J from bodies without contact (largest energy "
    "of bodies in the run: %.3g J); use bdf2 or newmark, or shorter steps, if this motion matters",
    (double)w->damped, (double)w->most_energy));
  PetscFunctionReturn(0);
}

/* Keeps the contact energy that the first step of a scene released, and the largest energy of bodies. */
static void KeepReleased(Warnings *w, PetscInt step, const AbutEnergyReport *e)
{
  w->most_energy = PetscMax(w->most_energy, e->kinetic + e->elastic + e->dissipated);
  if (step == 1) w->released = e->released;
}

/* Bodies that start well within the activation distance of each other fly apart, the faster the shorter the time step is. */
static PetscErrorCode WarnOfReleased(const Warnings *w, const Progress *progress, const AbutStepSpec *spec)
{
  PetscFunctionBegin;
  if (spec->integrator == ABUT_INTEGRATOR_STATIC || w->released <= GROWTH * w->most_energy) PetscFunctionReturn(0);
  PetscCall(WarnOfStep(progress, 1,
                       "contact forces push bodies apart that start closer to each other than contact.dhat, and give them %.3g J (largest "
                       "energy of bodies in the run: %.3g J); start bodies contact.dhat apart, or choose a smaller contact.dhat",
                       (double)w->released, (double)w->most_energy));
  PetscFunctionReturn(0);
}

PetscErrorCode WarningsEnd(const Warnings *w, const Progress *progress, const Model *model)
{
  const PetscReal dhat      = ModelGetActivationDistance(model);
  char            share[32] = "any factor";

  PetscFunctionBegin;
  PetscCall(WarnOfRoundOff(w, progress));
  PetscCall(WarnOfCreep(w, progress, model->scene));
  PetscCall(WarnOfUnsettled(w, progress, &model->scene->step));
  PetscCall(WarnOfJumps(w, progress, &model->scene->step));
  PetscCall(WarnOfReleased(w, progress, &model->scene->step));
  PetscCall(WarnOfDamping(w, progress));
  if (w->squeeze <= TOUCH * w->largest_force || w->compression > SOFT * dhat) PetscFunctionReturn(0);
  if (w->compression > 2 * dhat) PetscCall(PetscSNPrintf(share, sizeof(share), "up to %.0f %%", (double)(200 * dhat / w->compression)));
  PetscCall(
    WarnOfStep(progress, w->squeezed_step,
               "body '%s' is squeezed by about %.3g N, which compress it by at most %.3g m; the gaps of up to contact.dhat, %g m, at "
               "its surfaces can change this force by %s; choose a smaller contact.dhat if it matters",
               model->sim.local->bodies[w->squeezed_body].name, (double)w->squeeze, (double)w->compression, (double)dhat, share));
  PetscFunctionReturn(0);
}

/*
  Printed once: energy that grows where no motion and no load does work. Newmark's method and BDF2 add energy in impacts that last a few
  steps or fewer; implicit Euler never adds any.
*/
static PetscErrorCode WarnOfEnergy(Warnings *w, const Progress *progress, const AbutScene *scene, PetscInt step, const AbutEnergyReport *e)
{
  const AbutIntegrator rule       = scene->step.integrator;
  const PetscBool      dissipates = (PetscBool)(rule == ABUT_INTEGRATOR_EULER || rule == ABUT_INTEGRATOR_STATIC);
  const PetscReal      energy     = e->kinetic + e->elastic + e->contact + e->gravity;

  PetscFunctionBegin;
  if (w->energy || Moves(scene) || scene->num_loads || dissipates) PetscFunctionReturn(0);
  w->least_energy = w->most_kinetic > 0 ? PetscMin(w->least_energy, energy) : energy;
  w->most_kinetic = PetscMax(w->most_kinetic, e->kinetic);
  if (energy - w->least_energy <= GROWTH * w->most_kinetic + e->round_off) PetscFunctionReturn(0);
  w->energy = PETSC_TRUE;
  PetscCall(WarnOfStep(progress, step,
                       "kinetic, elastic, contact and gravity energy have grown by %.3g J, though no motion and no load does work (largest "
                       "kinetic energy %.3g J): time.integrator %s adds energy in impacts that last a few steps; shorter steps, "
                       "implicit-euler or contact-implicit-newmark help",
                       (double)(energy - w->least_energy), (double)w->most_kinetic, AbutIntegrators[scene->step.integrator]));
  PetscFunctionReturn(0);
}

/* Printed once: ties that motions open. Where a soft body is held, a tie is too soft for a stiff one. */
static PetscErrorCode WarnOfTorn(Warnings *w, const Progress *progress, const AbutScene *scene, PetscInt step, const AbutEnergyReport *e)
{
  PetscFunctionBegin;
  if (w->ties || !scene->num_motions || e->ties <= TORN * e->elastic + e->round_off) PetscFunctionReturn(0);
  w->ties = PETSC_TRUE;
  PetscCall(WarnOfStep(progress, step,
                       "ties hold %.2g of the elastic energy, because motions hold or move tied surfaces: there they open as if joined by "
                       "springs, and forces are wrong at least by this share; leave tied vertices out of the motions",
                       (double)(e->ties / e->elastic)));
  PetscFunctionReturn(0);
}

PetscErrorCode WarningsStep(Warnings *warnings, const Progress *progress, const Model *model, PetscInt step, const AbutStepReport *report)
{
  PetscFunctionBegin;
  PetscCall(WarnOfHalving(warnings, progress, step, report));
  PetscCall(WarnOfImbalance(warnings, progress, model->sim.local, model->scene->step.balance, step, &report->force));
  PetscCall(WarnOfEnergy(warnings, progress, model->scene, step, &report->energy));
  PetscCall(WarnOfTorn(warnings, progress, model->scene, step, &report->energy));
  KeepSqueeze(warnings, step, report);
  KeepReleased(warnings, step, &report->energy);
  warnings->damped += report->force.damped;
  KeepRoundOff(warnings, step, &report->force);
  KeepUnsettled(warnings, report);
  KeepJumps(warnings, report->force.contact_max);
  warnings->creep += report->contact.creep;
  warnings->path += report->contact.displacement;
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfActivationDistance(const Model *model)
{
  const AbutMeshLocal *m        = model->sim.local;
  const PetscReal      dhat     = ModelGetActivationDistance(model);
  const AbutBody      *thinnest = NULL;
  PetscReal            least    = PETSC_MAX_REAL;
  PetscInt             count    = 0;

  PetscFunctionBegin;
  for (const AbutBody *body = m->bodies; body < m->bodies + m->num_bodies; body++) {
    PetscReal extent = PETSC_MAX_REAL;
    if (body->obstacle) continue;
    for (PetscInt i = 0; i < m->dim; i++) extent = PetscMin(extent, body->box[1][i] - body->box[0][i]);
    count += dhat > THIN * extent;
    if (extent >= least) continue;
    least    = extent;
    thinnest = body;
  }
  if (count)
    PetscCall(AbutWarn(model->comm,
                       "contact.dhat is %g m, more than half of the smallest extent of body '%s', %g m: such bodies repel "
                       "others, and may repel themselves, across distances of their own size; choose a smaller contact.dhat (such bodies: "
                       "%" PetscInt_FMT ")",
                       (double)dhat, thinnest->name, (double)least, count));
  PetscFunctionReturn(0);
}

PetscBool HasFriction(const AbutFrictionTable *table)
{
  for (PetscInt i = 0; i < table->num_surfaces * table->num_surfaces; i++)
    if (table->mu_static[i] > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether a surface has friction with any surface. */
static PetscBool Rubs(const AbutFrictionTable *table, PetscInt surface)
{
  for (PetscInt i = 0; i < table->num_surfaces; i++)
    if (table->mu_static[surface * table->num_surfaces + i] > 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode WarnOfFrictionSpeed(const Model *model)
{
  const AbutStepSpec  *spec     = &model->scene->step;
  const AbutMeshLocal *m        = model->sim.local;
  const PetscReal      speed    = AbutQuantityResolve(&spec->friction_speed, AbutStepSpecLength(spec, m->global.diagonal));
  const AbutBody      *smallest = NULL;
  PetscReal            least    = PETSC_MAX_REAL;

  PetscFunctionBegin;
  if (!spec->friction_speed.relative || spec->reference_length > 0) PetscFunctionReturn(0);
  for (const AbutBody *body = m->bodies; body < m->bodies + m->num_bodies; body++) {
    if (body->obstacle || !Rubs(&spec->friction, body->surface) || AbutBodyDiagonal(m->dim, body) >= least) continue;
    least    = AbutBodyDiagonal(m->dim, body);
    smallest = body;
  }
  if (smallest && speed > FAST * least)
    PetscCall(
      AbutWarn(model->comm,
               "contact.friction.speed, below which friction is not complete, is %g m/s, and body '%s' has a diagonal of %g m, much "
               "less than all bodies together: bodies that should stick creep, slow ones slide too far; give contact.friction.speed "
               "or contact.reference_length",
               (double)speed, smallest->name, (double)least));
  PetscFunctionReturn(0);
}

/* Warns of a table with points at which no step ends. */
static PetscErrorCode WarnOfTable(const Model *model, const AbutTimeTable *table, const char place[])
{
  PetscInt passed = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < table->num; i++) passed += !AbutTimeTableEndsStep(table, i, model->scene->step.dt);
  if (passed)
    PetscCall(AbutWarn(model->comm,
                       "%s: %" PetscInt_FMT " of the %" PetscInt_FMT " points of the table are closer to the points beside "
                       "them than time.step, %g s; steps may pass over their values",
                       place, passed, table->num, (double)model->scene->step.dt));
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfTables(const Model *model)
{
  const AbutScene *scene = model->scene;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < scene->num_motions; m++) PetscCall(WarnOfTable(model, &scene->motions[m].table, scene->motions[m].place));
  for (PetscInt l = 0; l < scene->num_loads; l++) PetscCall(WarnOfTable(model, &scene->loads[l].table, scene->loads[l].place));
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfTies(const Model *model)
{
  PetscFunctionBegin;
  for (PetscInt t = 0; t < model->scene->num_ties; t++) {
    const AbutTieReport *tie = AbutStepperGetTie(model->sim.stepper, t);

    if (PetscAbsReal(tie->lever) > LARGEST_LEVER)
      PetscCall(AbutWarn(model->comm,
                         "%s: the surfaces of the tie %s, on average by %.2g of the height of the cells of `to`: the "
                         "stress of these cells is wrong by this part; let the surfaces touch",
                         model->scene->ties[t].place, tie->lever > 0 ? "have a gap" : "overlap", (double)PetscAbsReal(tie->lever)));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfBLAS(MPI_Comm comm)
{
  char      blas[PETSC_MAX_PATH_LEN];
  PetscBool optimised;

  PetscFunctionBegin;
  PetscCall(AbutBLASName(blas, sizeof(blas), &optimised));
  if (!optimised)
    PetscCall(AbutWarn(comm,
                       "the BLAS is %s, which is none of those known to be fast (OpenBLAS, MKL, BLIS, ATLAS, ArmPL, NVPL, "
                       "Cray LibSci, ESSL); with the reference BLAS factorisations take several times as long",
                       blas));
  PetscFunctionReturn(0);
}

PetscErrorCode WarnOfUnusedOptions(MPI_Comm comm)
{
  PetscInt count;
  int      num_args;
  char   **names, **values, **args;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &count, &names, &values));
  PetscCall(PetscGetArgs(&num_args, &args));
  for (PetscInt i = 0; i < count; i++)
    for (int k = 1; k < num_args; k++) /* options of the environment and of ~/.petscrc may be intended for other programs */
      if (args[k][0] == '-' && !strcmp(args[k] + 1, names[i])) {
        const char *nearest = OptionsNearest(args[k]);
        PetscCall(AbutWarn(comm, "option %s is not used%s%s%s", args[k], nearest ? ", did you mean " : "", nearest ? nearest : "",
                           nearest ? "?" : ""));
      }
  PetscCall(PetscOptionsLeftRestore(NULL, &count, &names, &values));
  PetscFunctionReturn(0);
}
