/* Arrays in input order, so that files do not depend on the rank count; fingerprint of a mesh. */
#include "resultsimpl.h"
#include <inttypes.h>
#include <string.h>

PetscErrorCode AbutSlicesCreate(MPI_Comm comm, PetscInt count, PetscInt num_local, const PetscInt ids[], AbutSlices *slices)
{
  PetscLayout layout;
  PetscInt    end;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, PETSC_DECIDE, count, 1, &layout));
  PetscCall(PetscLayoutGetRange(layout, &slices->start, &end));
  slices->size = end - slices->start;
  PetscCall(PetscSFCreate(comm, &slices->sf));
  PetscCall(PetscSFSetGraphLayout(slices->sf, layout, num_local, NULL, PETSC_COPY_VALUES, ids));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

/* Finalizer of a 64-bit mixing hash: every input bit changes every output bit with probability near one half. */
static uint64_t Mix(uint64_t h, uint64_t value)
{
  h ^= value + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

/* A sum of hashes over entities does not depend on their distribution. */
PetscErrorCode AbutMeshFingerprint(AbutMesh mesh, AbutFingerprint *print)
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  const PetscInt       nodes = m->dim + 1 + AbutNumCellEdges(m->dim);
  MPI_Comm             comm  = AbutMeshGetComm(mesh);
  uint64_t             sum   = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_owned; i++) {
    uint64_t h = Mix(1, (uint64_t)m->vertex_id[i]);
    for (PetscInt d = 0; d < m->dim; d++) {
      const double x = (double)m->rest[i * m->dim + d] + 0.0; /* -0 becomes 0 */
      uint64_t     bits;
      memcpy(&bits, &x, sizeof(bits));
      h = Mix(h, bits);
    }
    sum += h;
  }
  for (PetscInt c = 0; c < m->num_cells; c++) {
    uint64_t h = Mix(2, (uint64_t)m->cell_id[c]);
    for (PetscInt k = 0; k < nodes && AbutCellNode(m, c, k) >= 0; k++) h = Mix(h, (uint64_t)m->vertex_id[AbutCellNode(m, c, k)]);
    sum += h;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm));
  print->dim          = m->dim;
  print->num_vertices = m->num_global;
  print->num_cells    = m->global.cells;
  memcpy(&print->hash, &sum, sizeof(sum));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFingerprintSave(const AbutH5 *h5, PetscInt64 format, const AbutFingerprint *print)
{
  PetscFunctionBegin;
  PetscCall(AbutH5SetInt(h5, h5->file, "abut_format", format));
  PetscCall(AbutH5SetString(h5, h5->file, "abut_version", AbutVersion()));
  PetscCall(AbutH5SetString(h5, h5->file, "abut_git", AbutVersionGit()));
  PetscCall(AbutH5SetInt(h5, h5->file, "dim", print->dim));
  PetscCall(AbutH5SetInt(h5, h5->file, "num_vertices", print->num_vertices));
  PetscCall(AbutH5SetInt(h5, h5->file, "num_cells", print->num_cells));
  PetscCall(AbutH5SetInt(h5, h5->file, "mesh_hash", print->hash));
  PetscFunctionReturn(0);
}

/* All ranks compare the same numbers and return the same error. */
PetscErrorCode AbutFingerprintCheck(const AbutH5 *h5, const char what[], PetscInt64 format, const AbutFingerprint *print)
{
  AbutFingerprint file;
  PetscInt64      found;

  PetscFunctionBegin;
  AbutCheck(H5Aexists(h5->file, "abut_format") > 0, ABUT_ERR_INPUT, "%s is not a %s of abut: it has no attribute abut_format", h5->path,
            what);
  PetscCall(AbutH5GetInt(h5, h5->file, "abut_format", &found));
  AbutCheck(found == format, ABUT_ERR_INPUT, "%s has format version %" PRId64 ", this program reads %ss of version %" PRId64, h5->path,
            found, what, format);
  PetscCall(AbutH5GetInt(h5, h5->file, "dim", &file.dim));
  PetscCall(AbutH5GetInt(h5, h5->file, "num_vertices", &file.num_vertices));
  PetscCall(AbutH5GetInt(h5, h5->file, "num_cells", &file.num_cells));
  PetscCall(AbutH5GetInt(h5, h5->file, "mesh_hash", &file.hash));
  AbutCheck(file.dim == print->dim && file.num_vertices == print->num_vertices && file.num_cells == print->num_cells, ABUT_ERR_INPUT,
            "%s is of another mesh: %" PRId64 "D, %" PRId64 " vertices, %" PRId64 " cells where the scene has %" PRId64 "D, %" PRId64
            " vertices, %" PRId64 " cells",
            h5->path, file.dim, file.num_vertices, file.num_cells, print->dim, print->num_vertices, print->num_cells);
  AbutCheck(file.hash == print->hash, ABUT_ERR_INPUT,
            "%s is of another mesh: as many vertices and cells as the scene has, but other rest positions or connectivity (hash %016" PRIx64
            ", expected %016" PRIx64 ")",
            h5->path, (uint64_t)file.hash, (uint64_t)print->hash);
  PetscFunctionReturn(0);
}
