/* Scenes of the deformer: defaults, values at frames between key frames. */
#include "scene.h"
#include "test.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "abut: 1\n"
                           "title: two boxes\n"
                           "deform:\n"
                           "  frames: 11\n"
                           "  surfaces:\n"
                           "    - {name: a, shape: {box: {size: 1, cells: 2}}, extent: 0.5, volume: 0.9, pivot: [1, 2, 3],\n"
                           "       keys: [{frame: 2, translate: [0, 0, 4], volume: 2}, {frame: 4, rotate: [0, 180, 0]},\n"
                           "              {frame: 6, translate: [2, 0, 0]}]}\n"
                           "    - {name: b, shape: {box: {size: 1, cells: 2}}, extent: 0.7, omega: 2, wave: 0.1, waves: 3}\n"
                           "    - {name: c, shape: {box: {size: 1, cells: 2}}, extent: 0.7, regions: scene.yaml}\n"
                           "    - {name: d, shape: {box: {size: 1, cells: 2}}, extent: 0.7,\n"
                           "       region_boxes: [{box: [[-.inf, -1, -1], [0.2, 1, 1]]}, {box: [[-0.2, -1, -1], [1, 1, .inf]]}]}\n"
                           "  pairs:\n"
                           "    - {first: c, second: c, regions: [2, 1]}\n"
                           "    - {first: b, second: a, stiffness: [1, 3],\n"
                           "       keys: [{frame: 0, tau: -1}, {frame: 8, tau: 1, direction: [0, 0, -2]}]}\n";

static void Read(AbutDeformScene **scene)
{
  char        directory[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  AbutTestDirectory(directory);
  AbutTestCall(PetscSNPrintf(path, sizeof(path), "%s/scene.yaml", directory));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  if (!rank) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
  }
  AbutTestCall(AbutDeformSceneRead(PETSC_COMM_WORLD, path, scene));
  MPI_Barrier(PETSC_COMM_WORLD);
  if (!rank) {
    unlink(path);
    rmdir(directory);
  }
}

static void Contents(void **state)
{
  AbutDeformScene *scene;

  (void)state;
  Read(&scene);
  assert_string_equal(scene->title, "two boxes");
  assert_int_equal(scene->num_frames, 11);
  assert_int_equal(scene->num_surfaces, 4);
  assert_int_equal(scene->num_pairs, 2);
  assert_true(scene->pairs[0].has_regions && scene->pairs[0].index[0] == 2 && scene->pairs[0].index[1] == 2);
  assert_true(scene->pairs[0].region[0] == 2 && scene->pairs[0].region[1] == 1 && !scene->pairs[1].has_regions);
  assert_non_null(strstr(scene->surfaces[2].regions, "scene.yaml"));
  assert_string_equal(scene->surfaces[0].regions, "");
  assert_true(scene->surfaces[0].num_region_boxes == 0 && scene->surfaces[3].num_region_boxes == 2);
  assert_true(isinf(scene->surfaces[3].region_boxes[0].box[0][0]) && scene->surfaces[3].region_boxes[0].box[1][0] == 0.2);
  assert_true(scene->surfaces[3].region_boxes[1].box[0][0] == -0.2 && isinf(scene->surfaces[3].region_boxes[1].box[1][2]));
  assert_int_equal(scene->pairs[1].index[0], 1);
  assert_int_equal(scene->pairs[1].index[1], 0);
  assert_true(scene->surfaces[0].body.obstacle && scene->surfaces[0].body.shape.kind == ABUT_SHAPE_BOX);
  assert_int_equal(scene->surfaces[0].num_keys, 3);
  assert_true(scene->surfaces[0].control.omega == -1 && scene->surfaces[0].control.wave == 0);
  assert_true(scene->surfaces[1].control.omega == 2 && scene->surfaces[1].control.wave == 0.1);
  assert_true(scene->surfaces[1].control.wave_count == 3 && scene->surfaces[1].control.volume == 1);
  AbutTestCall(AbutDeformSceneDestroy(&scene));
  assert_null(scene);
}

/* Each value is linear between the key frames that give it; key frames without it do not count. */
static void KeyFrames(void **state)
{
  AbutDeformScene         *scene;
  AbutDeformSurfaceControl control;
  AbutDeformPairControl    pair;
  AbutRigidMotion          motion;

  (void)state;
  Read(&scene);
  AbutDeformSurfaceAtFrame(&scene->surfaces[0], 0, &control, &motion);
  AbutTestClose("before", 3, motion.shift, (PetscReal[]){0, 0, 4}, 0);
  assert_true(control.volume == 2 && control.extent == 0.5 && !control.bulge);
  AbutDeformSurfaceAtFrame(&scene->surfaces[0], 3, &control, &motion);
  AbutTestClose("between", 3, motion.shift, (PetscReal[]){0.5, 0, 3}, 1e-15);
  AbutTestClose("one rotation", 3, motion.angle, (PetscReal[]){0, PETSC_PI, 0}, 1e-15);
  AbutTestClose("pivot", 3, motion.center, (PetscReal[]){1, 2, 3}, 0);
  AbutDeformSurfaceAtFrame(&scene->surfaces[0], 10, &control, &motion);
  AbutTestClose("after", 3, motion.shift, (PetscReal[]){2, 0, 0}, 0);
  AbutDeformSurfaceAtFrame(&scene->surfaces[1], 5, &control, &motion);
  AbutTestClose("none", 3, motion.shift, (PetscReal[]){0, 0, 0}, 0);
  AbutDeformPairAtFrame(&scene->pairs[1], 6, &pair);
  assert_true(pair.tau == 0.5 && pair.stiffness[0] == 1 && pair.stiffness[1] == 3 && pair.direction[2] == -2);
  AbutTestCall(AbutDeformSceneDestroy(&scene));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest scenes[] = {cmocka_unit_test(Contents), cmocka_unit_test(KeyFrames)};

  return AbutTestMain(argc, argv, scenes);
}
