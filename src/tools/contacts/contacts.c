/* abut contacts: quality of contact-point methods on a scene, at the start and along a motion of rigid bodies. */
#include "contacts.h"
#include <abut/private/tools.h>
#include <string.h>

#define ALL "all"

#define AT(member) offsetof(Assessment, member)

static const AbutOption options[] = {
  {"-o", ABUT_OPTION_TEXT, AT(directory), 0, 0, 0, "", "Folder of the results"},
  {"-method", ABUT_OPTION_TEXT, AT(list), 0, 0, 0, "", "Methods, separated by commas without blanks, or all"},
  {"-steps", ABUT_OPTION_INT, AT(steps), 0, 0, PETSC_MAX_INT, "", "Time steps of the rigid bodies; 0: only the starting state"},
  {"-overwrite", ABUT_OPTION_BOOL, AT(overwrite), 0, 0, 1, "", "Replace results of another run in the folder"},
  {"-progress", ABUT_OPTION_ENUM, AT(progress), PROGRESS_AUTO, 0, 0, "", PROGRESS_HELP, ProgressModes},
  {"-walltime", ABUT_OPTION_REAL, AT(walltime), 0, 0, PETSC_INFINITY, "min",
   "Wall-clock time after which the assessment ends; 0: no limit"},
  {"-contacts_angle", ABUT_OPTION_REAL, AT(angle), 1, 0, 180, "degrees", "Angle up to which a normal equals an expected one"},
  {"-contacts_share", ABUT_OPTION_REAL, AT(share), 0.01, 0, 1, "",
   "Weighted coverage: least force of the contacts with an expected normal, over the mean of all expected normals"}};
static const AbutOptionTable ContactsOptions = {"abut contacts", PETSC_STATIC_ARRAY_LENGTH(options), options};

static PetscErrorCode AddMethod(Assessment *a, const char name[])
{
  PetscFunctionBegin;
  AbutCheck(name[0], ABUT_ERR_INPUT, "-method '%s' has an empty name, must be %s or names separated by commas", a->list, ALL);
  AbutCheck(a->num_methods < METHODS_MAX, ABUT_ERR_INPUT, "-method names more than %d methods", METHODS_MAX);
  for (PetscInt i = 0; i < a->num_methods; i++) AbutCheck(strcmp(a->method[i], name), ABUT_ERR_INPUT, "-method names %s twice", name);
  PetscCall(PetscStrncpy(a->method[a->num_methods++], name, sizeof(a->method[0])));
  PetscFunctionReturn(0);
}

/* Splits the list of methods at its commas. */
static PetscErrorCode ParseMethods(Assessment *a)
{
  char  list[sizeof(a->list)];
  char *name = list, *comma;

  PetscFunctionBegin;
  if (!strcmp(a->list, ALL)) {
    for (PetscInt i = 0; AbutContactPointMethodName(i); i++) PetscCall(AddMethod(a, AbutContactPointMethodName(i)));
    PetscFunctionReturn(0);
  }
  PetscCall(PetscStrncpy(list, a->list, sizeof(list)));
  while ((comma = strchr(name, ','))) {
    *comma = '\0';
    PetscCall(AddMethod(a, name));
    name = comma + 1;
  }
  PetscCall(AddMethod(a, name));
  PetscFunctionReturn(0);
}

/* Name of the case: the title of the scene, else its file name without folder and ending. */
static PetscErrorCode CaseName(const AbutScene *scene, char name[256])
{
  const char *slash = strrchr(scene->path, '/');
  char       *dot;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, scene->title[0] ? scene->title : slash ? slash + 1 : scene->path, 256));
  if (!scene->title[0] && (dot = strrchr(name, '.'))) *dot = '\0';
  PetscFunctionReturn(0);
}

/* Creates every generator before the first one works: a misspelled name ends the program at once. */
static PetscErrorCode CreateGenerators(Assessment *a)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->num_methods; i++) {
    PetscCall(AbutContactPointsCreate(a->mesh, a->method[i], &a->points[i]));
    PetscCall(AbutContactPointsSetPotentialSpec(a->points[i], &a->scene->step.orientation));
    PetscCall(AbutContactPointsSetFromOptions(a->points[i]));
  }
  PetscFunctionReturn(0);
}

/* The methods and the rigid bodies work on the rest shapes. */
static PetscErrorCode RefuseStart(const AbutScene *scene)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < scene->num_bodies; i++)
    AbutCheck(!scene->bodies[i].start[0], ABUT_ERR_INPUT, "%s: abut contacts reads rest shapes; remove the key \"start\" of the body '%s'",
              scene->bodies[i].place, scene->bodies[i].name);
  PetscFunctionReturn(0);
}

/* Creates the mesh. Bodies of order 2 enter with linear cells on their corners, which the methods need. */
static PetscErrorCode CreateMesh(Assessment *a)
{
  AbutScene *scene = a->scene;
  PetscBool *raised;
  PetscInt   count = 0, body = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(scene->num_bodies, &raised));
  for (PetscInt i = 0; i < scene->num_bodies; i++) {
    raised[i]                      = (PetscBool)(scene->bodies[i].shape.order == 2);
    scene->bodies[i].shape.order   = 0;
    scene->bodies[i].shape.corners = PETSC_TRUE;
  }
  PetscCall(AbutMeshCreate(a->comm, 3, scene->num_bodies, scene->bodies, &a->mesh));
  a->local = AbutMeshGetLocal(a->mesh);
  for (PetscInt i = 0; i < scene->num_bodies; i++) {
    const PetscInt *copies = scene->bodies[i].shape.copies, num = copies[0] * copies[1] * copies[2];

    if (raised[i] || a->local->bodies[body].order == 2) count += num;
    body += num;
  }
  PetscCall(PetscFree(raised));
  if (count)
    PetscCall(
      PetscPrintf(a->comm, "%" PetscInt_FMT " of the bodies have order 2: they enter with linear cells on the same corners\n", count));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUp(Assessment *a, const char scene[])
{
  char           name[256];
  PetscErrorCode code;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(a->comm, &rank));
  PetscCall(AbutPhaseBegin(ABUT_PHASE_SETUP));
  PetscCall(AbutSceneRead(a->comm, scene, &a->scene));
  AbutCheck(a->scene->dim == 3, ABUT_ERR_INPUT, "%s: dim is %" PetscInt_FMT ", abut contacts needs 3", scene, a->scene->dim);
  PetscCall(RefuseStart(a->scene));
  PetscCall(CreateMesh(a));
  PetscCall(ExpectationsCreate(a->scene, a->local, a->angle, a->share, &a->expected));
  if (a->steps || ExpectationsFollowCenters(&a->expected)) PetscCall(AssessmentCreateRigid(a));
  PetscCall(CreateGenerators(a));
  PetscCall(AbutPhaseEnd(ABUT_PHASE_SETUP));
  code = AbutAgree(a->comm, rank ? 0 : AbutResultsRemove(a->directory, PETSC_TRUE, NULL));
  PetscCall(code);
  PetscCall(CaseName(a->scene, name));
  PetscCall(AbutContactResultsCreate(a->mesh, a->directory, name, &a->results));
  PetscFunctionReturn(0);
}

static PetscErrorCode TearDown(Assessment *a)
{
  PetscFunctionBegin;
  PetscCall(AbutContactResultsDestroy(&a->results));
  for (PetscInt i = 0; i < a->num_methods; i++) PetscCall(AbutContactPointsDestroy(&a->points[i]));
  PetscCall(AbutRigidDestroy(&a->rigid));
  PetscCall(ExpectationsDestroy(&a->expected));
  PetscCall(AbutMeshDestroy(&a->mesh));
  PetscCall(AbutSceneDestroy(&a->scene));
  PetscFunctionReturn(0);
}

static PetscErrorCode CommandContacts(MPI_Comm comm, const char scene[], PetscBool terminal)
{
  Assessment     a = {.comm = comm, .list = ALL};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(AbutOptionTableRead(comm, &ContactsOptions, &a));
  AbutCheck(a.directory[0], ABUT_ERR_INPUT, "abut contacts needs a folder for its results: -o DIR");
  PetscCall(ParseMethods(&a));
  if (a.progress == PROGRESS_AUTO) a.progress = terminal ? PROGRESS_BAR : PROGRESS_LINES;
  PetscCall(DirectoryPrepare(comm, a.directory, a.overwrite, PETSC_FALSE));
  PetscCall(FolderLockTake(comm, a.directory, NULL));
  PetscCall(SetUp(&a, scene));
  PetscCall(WarnOfUnusedOptions(comm));
  PetscCall(InterruptCreate(comm, a.walltime, &a.interrupt));
  InterruptBeginSteps();
  code = AssessmentRun(&a);
  if (code && !AbutIsVerdict(code)) PetscFunctionReturn(code);
  PetscCall(TearDown(&a));
  PetscFunctionReturn(code);
}

const AbutCommand AbutCommandContacts = {
  .name    = "contacts",
  .usage   = "  abut contacts SCENE.yaml -o DIR [-method all|NAME[,NAME]] [-steps N] [-overwrite] [-progress MODE] [-walltime MINUTES]\n"
             "                                     quality of contact-point methods on the scene's tetrahedral bodies\n",
  .execute = CommandContacts,
  .lists_options = PETSC_TRUE,
  .options       = (const AbutOptionTable *const[]){&ContactsOptions, NULL},
  .tables        = (const AbutOptionTable *const[]){&AbutContactPointsOptions, &AbutRigidOptions, NULL},
  .prefixes      = (const char *const[]){"-contacts_", "-points_", "-rigid_", NULL},
  .files         = (const char *const[]){"quality.csv", "areas.csv", "rigid.csv", "contacts.h5", "contacts.xdmf", NULL},
  .key           = &ExpectedNormalsKey,
};
