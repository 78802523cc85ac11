h = 0.025;
fine = 0.01;
Include "chi.geo";
Physical Surface("chi") = {1};
