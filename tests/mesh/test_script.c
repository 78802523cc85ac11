/* Gmsh scripts that would run programs or end the process are errors; scripts without such commands are read. */
#include "expect_error.h"

/* Commands in the script and in an included file. */
static void Commands(void **state)
{
  char path[PETSC_MAX_PATH_LEN], text[PETSC_MAX_PATH_LEN + 64];

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  ExpectFileError(3, "script.geo", "Point(1) = {0, 0, 0};\nExit;\n", "script.geo:2: Exit would end the program", "body 'part'");
  ExpectFileError(3, "script.geo", "SystemCall \"false\";\n", "script.geo:1: SystemCall would run another program",
                  "-mesh_allow_system_calls");
  ExpectFileError(3, "script.geo", "/* a */ If (0)\n  NonBlockingSystemCall Str(\"false\"); EndIf\n", "script.geo:2: NonBlockingSystemCall",
                  "allow");
  ExpectFileError(3, "script.geo", "Field[1] = ExternalProcess;\n", "ExternalProcess would run another program", "allow");
  ExpectFileError(3, "script.geo", "Printf(\"a;\", 1 > 0) > \"more.geo\";\n", "Printf would write a file", "allow");
  ExpectFileError(3, "script.geo", "f = 'a';\nPrintf(\"Exit;\") >> Str(f);\n", "script.geo:2: Printf would write a file", "allow");
  ExpectFileError(3, "script.geo", "Save \"more.geo_unrolled\";\n", "Save would write a file", "allow");
  ExpectFileError(3, "script.geo", "Printf('\"'); SystemCall 'false'; Printf('\"');\n", "SystemCall would run", "allow");
  ExpectFileError(3, "script.geo", "S2N[\"System\"] \"false\";\n", "S2N would run another program", "allow");
  ExpectFileError(3, "script.geo", "Include StrCat(\"a\", \".geo\");\n", "Include of a file whose name is an expression", "allow");
  WriteFile("more.geo", "OnelabRun(\"false\");\n", path);
  snprintf(text, sizeof(text), "// Exit in a comment, \"\nMerge \"%s\";\n", path);
  ExpectFileError(3, "script.geo", text, "more.geo:1: OnelabRun would run another program", "allow");
  RemoveFile(path);
  WriteFile("script.msh", "SystemCall \"false\";\n", path);
  snprintf(text, sizeof(text), "Merge '%s';\n", path);
  ExpectFileError(3, "script.geo", text, "script.msh:1: SystemCall would run", "allow");
  RemoveFile(path);
}

/* Places where Gmsh's lexer ends a string, or reads on. */
static void Lexer(void **state)
{
  char         path[PETSC_MAX_PATH_LEN], text[1100];
  AbutBodySpec spec;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  snprintf(text, sizeof(text), "Printf(\"%01001d\");\n", 0);
  ExpectFileError(3, "script.geo", text, "script.geo:1: a string of more than 1000 bytes", "body 'part'");
  WriteFile("zero.geo", "// ?\nSystemCall \"false\";\n", path);
  if (!Rank()) {
    FILE *file = fopen(path, "r+");

    assert_non_null(file);
    assert_int_equal(fseek(file, 3, SEEK_SET), 0);
    assert_int_equal(fputc(0, file), 0);
    fclose(file);
  }
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, "zero.geo:1: the file has a byte of value 0", "body 'part'");
  RemoveFile(path);
}

/* An edge length in another unit would need more cells than Gmsh can make; both kernels, a box and a thin plate. */
static void TooManyCells(void **state)
{
  static const char *const shapes[] = {"SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 20, 20, 20};\n",
                                       "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 200, 200, 1e-3};\n",
                                       "Point(1) = {0, 0, 0, 1};\nl[] = Extrude {20, 0, 0} { Point{1}; };\n"
                                       "s[] = Extrude {0, 20, 0} { Line{l[1]}; };\nExtrude {0, 0, 20} { Surface{s[1]}; }\n"};
  char                     path[PETSC_MAX_PATH_LEN];
  AbutBodySpec             spec;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(shapes); k++) {
    WriteFile("size.geo", shapes[k], path);
    spec                 = FileSpec("part", path);
    spec.shape.mesh_size = 0.02;
    ExpectSpecError(3, &spec, "body 'part'", "cells, at most 50000000 are made");
    RemoveFile(path);
  }
}

/* Commands in NAME.opt, which libgmsh reads together with NAME; commands in comments and strings are no error. */
static void OptionFile(void **state)
{
  char                 option_file[PETSC_MAX_PATH_LEN], path[PETSC_MAX_PATH_LEN];
  AbutBodySpec         spec;
  AbutMesh             mesh;
  const AbutMeshLocal *local;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  WriteFile("plain.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1}; // Exit;\nPrintf(\"Exit;\");\n", path);
  WriteFile("plain.geo.opt", "SystemCall \"false\";\n", option_file);
  spec = FileSpec("part", path);
  ExpectSpecError(3, &spec, "plain.geo.opt:1: SystemCall", "allow");
  RemoveFile(option_file);
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
}

/* -mesh_allow_system_calls permits other programs, but not the end of the process. */
static void AllowSystemCalls(void **state)
{
  char                 path[PETSC_MAX_PATH_LEN];
  AbutBodySpec         spec;
  AbutMesh             mesh;
  const AbutMeshLocal *local;

  (void)state;
#if defined(ABUT_TEST_WITHOUT_GMSH)
  skip();
#endif
  WriteFile("trusted.geo", "SetFactory(\"OpenCASCADE\");\nSystemCall \"true\";\nBox(1) = {0, 0, 0, 1, 1, 1};\n", path);
  spec = FileSpec("part", path);
  AbutTestCall(PetscOptionsSetValue(NULL, "-mesh_allow_system_calls", "1"));
  mesh = MakeMesh(PETSC_COMM_WORLD, 3, 1, &spec, &local);
  AbutTestCall(AbutMeshDestroy(&mesh));
  RemoveFile(path);
  ExpectFileError(3, "script.geo", "Exit;\n", "Exit would end the program", "remove it");
  AbutTestCall(PetscOptionsClearValue(NULL, "-mesh_allow_system_calls"));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(Commands), cmocka_unit_test(Lexer), cmocka_unit_test(TooManyCells),
                                     cmocka_unit_test(OptionFile), cmocka_unit_test(AllowSystemCalls)};

  return AbutTestMain(argc, argv, tests);
}
