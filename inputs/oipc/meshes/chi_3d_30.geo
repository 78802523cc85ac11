// The cusps open by 30 degrees, in chi_3d.geo by 22.
waist = 0.535 * Cos(30 / 2 * Pi / 180) - 0.5;
Include "chi_3d.geo";
