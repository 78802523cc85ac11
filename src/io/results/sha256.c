/* SHA-256 of a file (FIPS 180-4), as sha256sum prints it. */
#include "statsimpl.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64 /* bytes */

static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t Turn(uint32_t word, int bits)
{
  return (word >> bits) | (word << (32 - bits));
}

/* Section 6.2.2: one block into the hash. */
static void AddBlock(uint32_t hash[8], const unsigned char block[BLOCK])
{
  uint32_t w[64], v[8];

  for (int t = 0; t < 16; t++)
    w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 | (uint32_t)block[4 * t + 3];
  for (int t = 16; t < 64; t++)
    w[t] = (Turn(w[t - 2], 17) ^ Turn(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
           (Turn(w[t - 15], 7) ^ Turn(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
  memcpy(v, hash, sizeof(v));
  for (int t = 0; t < 64; t++) {
    const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]), majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
    const uint32_t first  = v[7] + (Turn(v[4], 6) ^ Turn(v[4], 11) ^ Turn(v[4], 25)) + choice + constants[t] + w[t];
    const uint32_t second = (Turn(v[0], 2) ^ Turn(v[0], 13) ^ Turn(v[0], 22)) + majority;

    memmove(v + 1, v, 7 * sizeof(*v));
    v[4] += first;
    v[0] = first + second;
  }
  for (int k = 0; k < 8; k++) hash[k] += v[k];
}

/* Section 5.1.1: the last bytes of a file, a one bit, zeros, and the length of the file in bits. */
static void AddEnd(uint32_t hash[8], const unsigned char rest[], size_t n, uint64_t bytes)
{
  unsigned char blocks[2 * BLOCK] = {0};
  const size_t  size              = n < BLOCK - 8 ? BLOCK : 2 * BLOCK;

  memcpy(blocks, rest, n);
  blocks[n] = 0x80;
  for (size_t k = 0; k < 8; k++) blocks[size - 1 - k] = (unsigned char)(8 * bytes >> 8 * k);
  for (size_t k = 0; k < size; k += BLOCK) AddBlock(hash, blocks + k);
}

void AbutFileSHA256(const char path[], char text[ABUT_SHA256_SIZE])
{
  uint32_t      hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char block[BLOCK];
  uint64_t      bytes = 0;
  size_t        n;
  FILE         *file = fopen(path, "rb");

  text[0] = '\0';
  if (!file) return;
  while ((n = fread(block, 1, BLOCK, file)) == BLOCK) {
    AddBlock(hash, block);
    bytes += n;
  }
  AddEnd(hash, block, n, bytes + n);
  for (int k = 0; k < 8 && !ferror(file); k++) snprintf(text + 8 * k, 9, "%08x", (unsigned)hash[k]);
  fclose(file);
}
