/* Embree behind bench_embree.h. */
#include "bench_embree.h"
#include <embree3/rtcore.h>
#include <math.h>
#include <pmmintrin.h>
#include <xmmintrin.h>

struct _p_EmbreeSurface {
  RTCDevice   device;
  RTCScene    scene;
  RTCGeometry geometry;
  PetscInt    num_vertices;
  PetscBool   committed; /* a tree exists */
  float      *vertex;    /* [3 * num_vertices] buffer of Embree */
};

PetscErrorCode EmbreeCreate(PetscInt num_vertices, PetscInt num_faces, const int32_t faces[], EmbreeUpdate update, EmbreeSurface *surface)
{
  EmbreeSurface s;
  unsigned     *index;

  PetscFunctionBegin;
  PetscCall(PetscNew(surface));
  s               = *surface;
  s->num_vertices = num_vertices;
  s->device       = rtcNewDevice("threads=1");
  AbutCheck(s->device, ABUT_ERR_INPUT, "Embree: no device");
  s->scene = rtcNewScene(s->device);
  rtcSetSceneFlags(s->scene, RTC_SCENE_FLAG_ROBUST | RTC_SCENE_FLAG_DYNAMIC);
  rtcSetSceneBuildQuality(s->scene, RTC_BUILD_QUALITY_LOW);
  s->geometry = rtcNewGeometry(s->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  rtcSetGeometryBuildQuality(s->geometry, update == EMBREE_REFIT ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_LOW);
  s->vertex = rtcSetNewGeometryBuffer(s->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), (size_t)num_vertices);
  index     = rtcSetNewGeometryBuffer(s->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), (size_t)num_faces);
  for (PetscInt i = 0; i < 3 * num_faces; i++) index[i] = (unsigned)faces[i];
  PetscFunctionReturn(0);
}

PetscErrorCode EmbreeDestroy(EmbreeSurface *surface)
{
  PetscFunctionBegin;
  rtcReleaseGeometry((*surface)->geometry);
  rtcReleaseScene((*surface)->scene);
  rtcReleaseDevice((*surface)->device);
  PetscCall(PetscFree(*surface));
  PetscFunctionReturn(0);
}

PetscErrorCode EmbreeSetPositions(EmbreeSurface s, const PetscReal position[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * s->num_vertices; i++) s->vertex[i] = (float)position[i];
  rtcUpdateGeometryBuffer(s->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(s->geometry);
  if (!s->committed) rtcAttachGeometry(s->scene, s->geometry);
  rtcCommitScene(s->scene);
  s->committed = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode EmbreeFarthest(EmbreeSurface s, PetscInt num, const PetscReal start[], int sign, PetscReal end, EmbreeHit hits[])
{
  struct RTCIntersectContext context;
  const unsigned             mode = _mm_getcsr();

  PetscFunctionBegin;
  /* Embree asks for it: denormal numbers are slow */
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  rtcInitIntersectContext(&context);
  context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  for (PetscInt first = 0; first < num; first += 16) {
    struct RTCRayHit16 ray = {0};
    int                valid[16] __attribute__((aligned(64)));

    for (PetscInt k = 0; k < 16; k++) {
      const PetscReal *p = &start[3 * PetscMin(first + k, num - 1)];

      valid[k]          = first + k < num ? -1 : 0;
      ray.ray.org_x[k]  = (float)p[0];
      ray.ray.org_y[k]  = (float)p[1];
      ray.ray.org_z[k]  = (float)end;
      ray.ray.dir_z[k]  = (float)-sign;
      ray.ray.tfar[k]   = fabsf((float)end - (float)p[2]);
      ray.ray.mask[k]   = ~0u;
      ray.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
    }
    rtcIntersect16(valid, s->scene, &context, &ray);
    for (PetscInt k = 0; k < PetscMin(16, num - first); k++) {
      hits[first + k].face = ray.hit.geomID[k] == RTC_INVALID_GEOMETRY_ID ? -1 : (PetscInt)ray.hit.primID[k];
      hits[first + k].top  = (float)end - (float)sign * ray.ray.tfar[k];
    }
  }
  _mm_setcsr(mode);
  PetscFunctionReturn(0);
}
