// A ball about (0, R, 0), fine where it touches y = 0 and coarser in proportion away from there. All lengths of edges scale with h, so
// that balls of different h are one family of meshes.
SetFactory("OpenCASCADE");
DefineConstant[R = 1];         // radius [m]
DefineConstant[h = 0.03];      // finest edges [m]
DefineConstant[core = 0.12];   // how far the fine mesh reaches around the pole [m]
DefineConstant[growth = 5];   // edges at a distance r from there are h (1 + growth r) long [1/m]
Sphere(1) = {0, R, 0, R};
Physical Volume("ball") = {1};
Field[1] = MathEval;
Field[1].F = Sprintf("%g * (1 + %g * Max(0, Sqrt(x*x + y*y + z*z) - %g))", h, growth, core);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.MeshSizeFromPoints = 0;
Mesh.Algorithm = 6;
Mesh.Algorithm3D = 1;
