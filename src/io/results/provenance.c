/* Origin of a run: program, libraries, hosts, command, scene. Members of summary.json. */
#include "statsimpl.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Local time with its offset, "2020-07-01T12:00:00+02:00". */
static void Moment(AbutText *t, const char key[], time_t when)
{
  char      zone[8], stamp[64];
  struct tm tm;

  localtime_r(&when, &tm);
  strftime(zone, sizeof(zone), "%z", &tm);
  strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
  AbutJSONKey(t, 1, key);
  AbutTextAppend(t, "\"%s%.3s:%s\"", stamp, zone, zone + 3);
}

/* A word as a shell reads it: in single quotes if it has characters with a meaning there. */
static void Quote(AbutText *line, const char word[])
{
  const PetscBool plain =
    (PetscBool)(word[0] && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%")]);

  AbutTextAppend(line, "%s%s", line->length ? " " : "", plain ? "" : "'");
  for (const char *c = word; *c; c++) AbutTextAppend(line, *c == '\'' ? "'\\''" : "%c", *c);
  AbutTextAppend(line, plain ? "" : "'");
}

/* The command line of the program, without the launcher. */
static PetscErrorCode Command(AbutText *t)
{
  AbutText line = {0};
  int      num;
  char   **words;

  PetscFunctionBegin;
  PetscCall(PetscGetArgs(&num, &words));
  for (int k = 0; k < num; k++) Quote(&line, words[k]);
  AbutJSONString(t, 1, "command", line.text ? line.text : "");
  PetscCall(AbutTextDestroy(&line));
  PetscFunctionReturn(0);
}

/* Number of the batch job; null outside of one. */
static void Job(AbutText *t)
{
  static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"};
  const char              *job     = NULL;

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names) && !job; k++) job = getenv(names[k]);
  AbutJSONText(t, 1, "job", job);
}

static void Hosts(AbutText *t, const AbutHosts *hosts)
{
  AbutJSONKey(t, 1, "hosts");
  for (PetscMPIInt k = 0; k < hosts->count; k++) {
    AbutTextAppend(t, k ? ", " : "[");
    AbutTextAppendJSON(t, hosts->names[k]);
  }
  AbutTextAppend(t, "]");
}

PetscErrorCode AbutHostsGather(MPI_Comm comm, AbutHosts *hosts)
{
  char        name[MPI_MAX_PROCESSOR_NAME] = "";
  PetscMPIInt rank, size, length, lead, count = 0;
  MPI_Comm    host, leads;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
  lead = AbutIsRoot(host);
  PetscCallMPI(MPI_Comm_free(&host));
  PetscCallMPI(MPI_Comm_split(comm, lead ? 0 : MPI_UNDEFINED, rank, &leads));
  *hosts = (AbutHosts){0};
  if (!lead) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_size(leads, &size));
  PetscCallMPI(MPI_Get_processor_name(name, &length));
  if (!rank) count = size;
  PetscCall(PetscMalloc1(count, &hosts->names));
  PetscCallMPI(MPI_Gather(name, sizeof(name), MPI_CHAR, hosts->names, sizeof(name), MPI_CHAR, 0, leads));
  PetscCallMPI(MPI_Comm_free(&leads));
  hosts->count = count;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutProvenanceWrite(AbutText *t, AbutStats s, const AbutHosts *hosts, double seconds)
{
  const time_t now = time(NULL);
  const char  *part;
  char        *options, text[ABUT_VERSION_SIZE];

  PetscFunctionBegin;
  AbutJSONString(t, 1, "scene", s->scene);
  AbutJSONText(t, 1, "scene_sha256", s->scene_hash[0] ? s->scene_hash : NULL);
  AbutJSONString(t, 1, "version", AbutVersion());
  AbutJSONString(t, 1, "git", AbutVersionGit());
  for (PetscInt i = 0; AbutVersionPart(i, &part, text); i++) AbutJSONString(t, 1, part, text);
  PetscCall(PetscOptionsGetAll(NULL, &options));
  AbutJSONString(t, 1, "options", options);
  PetscCall(PetscFree(options));
  PetscCall(Command(t));
  Job(t);
  Hosts(t, hosts);
  Moment(t, "started", now - (time_t)(seconds + 0.5));
  Moment(t, "ended", now);
  PetscFunctionReturn(0);
}
