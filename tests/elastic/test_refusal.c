/* A material parameter out of range is an error whose message states name, value and range. */
#include "meshes.h"

static AbutMesh mesh;

/* Fails unless AbutElasticCreate() with `bad` as the second of two materials fails with a message that contains `text`. */
static void CheckRefused(AbutMaterialSpec bad, const char text[])
{
  const AbutMaterialSpec materials[2] = {{.name = "good", .young = 1e5, .poisson = 0.4, .density = 1000}, bad};
  AbutElastic            elastic;

  if (!AbutElasticCreate(mesh, 2, materials, &elastic)) fail_msg("accepted, expected: %s", text);
  if (!strstr(AbutErrorMessage(), text) || !strstr(AbutErrorMessage(), "rubber"))
    fail_msg("message: %s\nexpected: %s", AbutErrorMessage(), text);
  AbutErrorClear();
  AbutTestCall(AbutElasticDestroy(&elastic));
}

#define CheckField(field, value, text) \
  do {                                 \
    AbutMaterialSpec wrong = rubber;   \
    wrong.field            = value;    \
    CheckRefused(wrong, text);         \
  } while (0)

static void TestRefusal(void **state)
{
  const AbutMaterialSpec rubber  = {.name = "rubber", .young = 1e5, .poisson = 0.4, .density = 1000};
  const AbutMaterialSpec auxetic = {.name           = "rubber",
                                    .kind           = ABUT_MATERIAL_STVK,
                                    .young          = 1,
                                    .poisson        = -0.5,
                                    .density        = 1,
                                    .incompressible = ABUT_INCOMPRESSIBLE_MEAN_DILATATION};
  AbutPronyTerm          term    = {1, 0};
  AbutMaterialSpec       bad;
  AbutElastic            elastic;
  Solid                  solid;

  (void)state;
  SolidCreate(PETSC_COMM_WORLD, 2, 2, ABUT_MATERIAL_NEO_HOOKEAN, ABUT_MATERIAL_NEO_HOOKEAN, &solid);
  mesh = solid.mesh;
  CheckField(young, -1, "young is -1 Pa, must be positive");
  CheckField(poisson, 0.5, "poisson is 0.5, must be above -1 and below 0.5");
  CheckField(poisson, -1, "poisson is -1, must be above -1 and below 0.5");
  CheckField(poisson, -1e-9, "poisson is -1e-09, must be in [0, 0.5) for neo-hookean");
  CheckRefused(auxetic, "mean dilatation needs a Poisson's ratio of at least 0; poisson is -0.5");
  CheckField(density, 0, "density is 0 kg/m^3, must be positive");
  CheckField(mooney, -0.1, "mooney is -0.1, must be in [0, 1]");
  CheckField(mooney, 1.01, "mooney is 1.01, must be in [0, 1]");
  CheckField(mooney, NAN, "mooney is nan, must be in [0, 1]");
  CheckField(damping_mass, -2, "damping mass is -2 1/s, must be finite and at least 0");
  CheckField(damping_mass, INFINITY, "damping mass is inf 1/s, must be finite and at least 0");
  CheckField(damping_stiffness, -1e-3, "damping stiffness is -0.001 s, must be finite and at least 0");
  CheckField(damping_stiffness, NAN, "damping stiffness is nan s, must be finite and at least 0");
  CheckField(kind, ABUT_MATERIAL_J2_PLASTICITY, "yield is 0 Pa, must be positive and finite");
  bad           = rubber;
  bad.kind      = ABUT_MATERIAL_LINEAR;
  bad.prony     = &term;
  bad.num_prony = 1;
  CheckRefused(bad, "prony is for the models neo-hookean, mooney-rivlin and ogden; the model is linear");
  bad.kind = ABUT_MATERIAL_NEO_HOOKEAN;
  CheckRefused(bad, "term 0 of prony has shear 1 Pa and time 0 s, both must be positive and finite");
  CheckField(hardening, -1, "hardening is -1 Pa, must be finite and at least 0");
  CheckField(kind, ABUT_MATERIAL_OGDEN, "ogden has no terms, must have one or more");
  assert_int_equal(AbutElasticCreate(solid.mesh, 1, &rubber, &elastic), ABUT_ERR_INPUT);
  assert_non_null(strstr(AbutErrorMessage(), "must be in [0, 1)"));
  AbutErrorClear();
  AbutTestCall(AbutElasticDestroy(&elastic));
  SolidDestroy(&solid);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(TestRefusal)};
  return AbutTestMain(argc, argv, tests);
}
