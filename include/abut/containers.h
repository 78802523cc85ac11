/**
  @file containers.h
  @brief Containers that every folder shares: growable arrays, sort of integer tuples, lists in compressed rows (CSR), neighbour exchange.

  PETSc provides the rest: PetscHMapI and PetscHMapIJ (hash maps from integers and pairs of integers), PetscHSetI (hash sets),
  PetscSegBuffer (a growable array without reallocation), PetscSortInt() and similar functions, PetscSF (copies of owned entries on other
  ranks).
**/
#pragma once
#include <abut/core.h>
#include <petscsf.h>

/* Growable arrays */

/** One of several arrays that share a capacity. */
typedef struct {
  void  *array; /* address of the pointer to the array; memory of PetscMalloc(), or NULL */
  size_t bytes; /* size of one entry */
} AbutColumn;

/**
  @brief Reallocates arrays so that each has a capacity of at least `needed` entries; does nothing if `needed` <= *capacity. Not collective.
  The capacity grows by at least a half, so that appending n entries one by one costs O(n). Existing entries are kept.
  @param[in]     needed    number of entries, >= 0
  @param[in,out] capacity  common capacity of the arrays [entries], initially 0
  @param[in]     num       number of arrays
  @param[in]     column    [num] the arrays; the caller frees each with PetscFree()
  Errors: PETSC_ERR_MEM. The arrays that were reallocated before the error stay valid.
**/
PETSC_EXTERN PetscErrorCode AbutReserveColumns(PetscInt needed, PetscInt *capacity, PetscInt num, const AbutColumn column[]);

/** @brief Frees the arrays. Not collective. */
PETSC_EXTERN PetscErrorCode AbutFreeColumns(PetscInt num, const AbutColumn column[]);

/** AbutReserveColumns() for one array; `array` is the address of a typed pointer. */
#define AbutReserve(needed, capacity, array) AbutReserveColumns(needed, capacity, 1, &(const AbutColumn){(array), sizeof(**(array))})

/** Growable array of integers. Initialise with zeros; free with PetscFree(ints.a). */
typedef struct {
  PetscInt  n, capacity; /* used and allocated entries */
  PetscInt *a;           /* [n] */
} AbutInts;

/** Growable array of reals. Initialise with zeros; free with PetscFree(reals.a). */
typedef struct {
  PetscInt   n, capacity; /* used and allocated entries */
  PetscReal *a;           /* [n] */
} AbutReals;

/** @brief Makes room for `more` further entries. Not collective. Errors: PETSC_ERR_ARG_OUTOFRANGE beyond PetscInt; PETSC_ERR_MEM. */
PETSC_EXTERN PetscErrorCode AbutIntsGrow(AbutInts *ints, PetscInt more);

/** @brief As AbutIntsGrow(), for reals. Not collective. */
PETSC_EXTERN PetscErrorCode AbutRealsGrow(AbutReals *reals, PetscInt more);

/** @brief Appends values[n]. Not collective. Errors: see AbutIntsGrow(). */
static inline PetscErrorCode AbutIntsPush(AbutInts *ints, PetscInt n, const PetscInt values[])
{
  PetscFunctionBegin;
  if (PetscUnlikely(ints->n + n > ints->capacity)) PetscCall(AbutIntsGrow(ints, n));
  for (PetscInt i = 0; i < n; i++) ints->a[ints->n++] = values[i];
  PetscFunctionReturn(0);
}

/** @brief Appends values[n]. Not collective. Errors: see AbutIntsGrow(). */
static inline PetscErrorCode AbutRealsPush(AbutReals *reals, PetscInt n, const PetscReal values[])
{
  PetscFunctionBegin;
  if (PetscUnlikely(reals->n + n > reals->capacity)) PetscCall(AbutRealsGrow(reals, n));
  for (PetscInt i = 0; i < n; i++) reals->a[reals->n++] = values[i];
  PetscFunctionReturn(0);
}

/* Search and sort */

/** @brief Number of entries below v of an ascending list [n]. */
static inline PetscInt AbutCountBelow(PetscInt n, const PetscInt list[], PetscInt v)
{
  PetscInt low = 0, high = n;

  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;
    if (list[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/**
  @brief Stable radix sort of integer tuples, first number most significant; O(width num) per 11 bits of the range. Not collective.
  @param[in]  num, width  number of tuples, numbers in a tuple
  @param[in]  range       all numbers are in [0, range)
  @param[in]  tuples      [num * width]
  @param[out] order       [num] tuple order[k] has position k in the sorted sequence; the tuples are not moved
**/
PETSC_EXTERN PetscErrorCode AbutSortTuples(PetscInt num, PetscInt width, PetscInt range, const PetscInt tuples[], PetscInt order[]);

/**
  @brief Sorts integer tuples as AbutSortTuples() and removes duplicates. Not collective.
  @param[in,out] num     number of tuples; on exit of different tuples
  @param[in]     width   numbers in a tuple
  @param[in]     range   all numbers are in [0, range)
  @param[in,out] tuples  [num * width]
**/
PETSC_EXTERN PetscErrorCode AbutUniqueTuples(PetscInt *num, PetscInt width, PetscInt range, PetscInt tuples[]);

/** @brief Lexicographic order of two tuples of n integers: negative, 0 or positive. */
static inline int AbutCompareInts(int n, const PetscInt a[], const PetscInt b[])
{
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  return 0;
}

/**
  @brief Stable sort of structs by the PetscInts that they begin with, first one most significant. Not collective.
  @param[in]     num, bytes  number of structs, size of one
  @param[in]     keys        number of these PetscInts
  @param[in,out] records     [num]
**/
PETSC_EXTERN PetscErrorCode AbutSortRecords(PetscInt num, size_t bytes, int keys, void *records);

/**
  @brief Concatenates structs of all ranks, in the order of ranks. Collective.
  @param[in]  comm        communicator
  @param[in]  bytes, num  size of a struct, number on this rank
  @param[in]  records     [num]
  @param[out] total       number on all ranks, the same everywhere
  @param[out] all         pointer to the array [total] of structs; the caller frees it by PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutGatherRecords(MPI_Comm comm, size_t bytes, PetscInt num, const void *records, PetscInt *total, void *all);

/* Lists in compressed rows */

/** Lists of integers: list r is item[start[r]], ..., item[start[r + 1] - 1]. Initialise with zeros; reusable. */
typedef struct {
  PetscInt  num_rows;                      /* number of lists */
  PetscInt *start;                         /* [num_rows + 1] */
  PetscInt *item;                          /* [start[num_rows]] */
  PetscInt  start_capacity, item_capacity; /* allocated entries of start and item */
} AbutCSR;

/**
  @brief Sets the lists from pairs (row, item): list r gets items[i] for every entry rows[width i + k] == r, 0 <= k < width, in the order of
  i, then k. Negative rows are skipped. O(num_rows + n width). Not collective.

  With width 1 the pairs are (rows[i], items[i]). With items NULL and width > 1 this inverts a table of fixed width, for example faces at
  each vertex from the vertices of each face.
  @param[in]     num_rows  number of lists
  @param[in]     n         number of items
  @param[in]     width     number of rows per item, >= 1
  @param[in]     rows      [n * width] each less than num_rows
  @param[in]     items     [n] or NULL for items[i] = i
  @param[in,out] csr       lists of an earlier call are replaced, their memory is reused; AbutCSRDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutCSRSetPairs(PetscInt num_rows, PetscInt n, PetscInt width, const PetscInt rows[], const PetscInt items[],
                                            AbutCSR *csr);

/** @brief Frees the arrays of the lists. Not collective. */
PETSC_EXTERN PetscErrorCode AbutCSRDestroy(AbutCSR *csr);

/* Neighbour exchange */

/** Communication volume of a rank: messages and bytes sent to other ranks. */
typedef struct {
  PetscLogDouble messages, bytes; /* sums over all messages */
} AbutTraffic;

/**
  Communication pattern between neighbouring ranks. Records are numbered by neighbour: those for send_rank[s] are [send_start[s],
  send_start[s + 1]), those from recv_rank[s] are [recv_start[s], recv_start[s + 1]). The order of records, and therefore of sums over
  them, depends on ranks only, not on the order in which messages arrive.
**/
typedef struct {
  MPI_Comm     comm;                    /* borrowed */
  PetscMPIInt  tag;                     /* MPI tag of the messages */
  PetscMPIInt  num_send, num_recv;      /* numbers of receiving and of sending neighbours */
  PetscMPIInt *send_rank, *recv_rank;   /* [num_send], [num_recv] neighbours, ascending; may contain this rank */
  PetscInt    *send_start, *recv_start; /* [num_send + 1], [num_recv + 1] first record of each neighbour */
  AbutTraffic *traffic;                 /* counter of the messages to other ranks, borrowed, or NULL */
} AbutExchange;

/**
  @brief Creates an exchange from the records that each rank sends; determines the receiving side by communication. Collective.
  @param[in]  comm        a communicator of PETSc (PetscCommDuplicate()); must outlive the exchange
  @param[in]  num_send    number of ranks that this rank sends to
  @param[in]  send_rank   [num_send] ascending; copied
  @param[in]  send_start  [num_send + 1] starts with 0; copied
  @param[out] exchange    AbutExchangeDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutExchangeCreate(MPI_Comm comm, PetscMPIInt num_send, const PetscMPIInt send_rank[],
                                               const PetscInt send_start[], AbutExchange *exchange);

/**
  @brief Creates an exchange between ranks that already know each other: rank r lists rank s as a sender if and only if s lists r as a
  receiver. Not collective. All record counts are 0; the caller sets send_start and recv_start.
  @param[in]  comm       a communicator of PETSc; must outlive the exchange
  @param[in]  tag        the same on all ranks (PetscCommGetNewTag())
  @param[in]  num_send, send_rank  ranks that this rank sends to, ascending; copied
  @param[in]  num_recv, recv_rank  ranks that this rank receives from, ascending; copied
  @param[out] exchange   AbutExchangeDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutExchangeCreateKnown(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt num_send, const PetscMPIInt send_rank[],
                                                    PetscMPIInt num_recv, const PetscMPIInt recv_rank[], AbutExchange *exchange);

/** @brief Frees the arrays of the exchange. Not collective. */
PETSC_EXTERN PetscErrorCode AbutExchangeDestroy(AbutExchange *exchange);

/**
  @brief Sends each record to its receiver. Collective over neighbours.
  @param[in]  bytes  size of a record
  @param[in]  send   [send_start[num_send] * bytes]
  @param[out] recv   [recv_start[num_recv] * bytes]
**/
PETSC_EXTERN PetscErrorCode AbutExchangeForward(const AbutExchange *exchange, size_t bytes, const void *send, void *recv);

/**
  @brief The reverse of AbutExchangeForward(): sends records in the layout of recv back to the layout of send. Collective over neighbours.
**/
PETSC_EXTERN PetscErrorCode AbutExchangeReverse(const AbutExchange *exchange, size_t bytes, const void *recv, void *send);

/**
  @brief Sends one message of any length to each receiving neighbour; independent of the record counts. Collective over neighbours.
  @param[in]  send_bytes, send  [num_send] lengths and messages
  @param[out] recv_bytes, recv  [num_recv] lengths and messages; free each with PetscFree()
  Errors: PETSC_ERR_SUP if a message is longer than INT_MAX bytes.
**/
PETSC_EXTERN PetscErrorCode AbutExchangeMessages(const AbutExchange *exchange, const size_t send_bytes[], void *const send[],
                                                 size_t recv_bytes[], void *recv[]);

/**
  @brief Sends record i to rank to[i], any rank. Collective. Records keep their order between each pair of ranks.
  @param[in]  comm      a communicator of PETSc
  @param[in]  bytes     size of a record
  @param[in]  n, to     number of records, their receivers; in any order
  @param[in]  records   [n * bytes]
  @param[in]  traffic   counter to add to, or NULL
  @param[out] exchange  senders and numbers of the records, for a reply by AbutExchangeReverse(); AbutExchangeDestroy() frees it
  @param[out] received  [recv_start[num_recv] * bytes] the records for this rank, sorted by sender; free with PetscFree()
**/
PETSC_EXTERN PetscErrorCode AbutExchangeRecords(MPI_Comm comm, size_t bytes, PetscInt n, const PetscMPIInt to[], const void *records,
                                                AbutTraffic *traffic, AbutExchange *exchange, void *received);

/* Star forests (PetscSF) */

/**
  @brief Creates a star forest whose roots are rows in the order of ranks, as the vertices of a mesh by global index. Collective.
  @param[in]  comm              a communicator of PETSc
  @param[in]  num_roots         rows of this rank
  @param[in]  num_leaves, root  number of leaves of this rank, [num_leaves] global number of the root of each
  @param[out] sf                PetscSFDestroy() frees it
**/
PETSC_EXTERN PetscErrorCode AbutSFCreate(MPI_Comm comm, PetscInt num_roots, PetscInt num_leaves, const PetscInt root[], PetscSF *sf);

/**
  @brief Copies rows from the roots of a star forest to its leaves: PetscSFBcastBegin() and PetscSFBcastEnd() with MPI_REPLACE. Collective.
  @param[in]  sf     the star forest; a root or leaf is a row
  @param[in]  unit   MPI type of an entry
  @param[in]  width  entries of a row
  @param[in]  roots  [number of roots * width]
  @param[out] leaves [number of leaves * width]
**/
PETSC_EXTERN PetscErrorCode AbutSFBcastRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *roots, void *leaves);

/** @brief The reverse of AbutSFBcastRows(): copies rows from the leaves to the roots; each root has at most one leaf. Collective. */
PETSC_EXTERN PetscErrorCode AbutSFReduceRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *leaves, void *roots);

/**
  @brief Adds rows of the leaves to their roots. Collective. PetscSF adds in the order of ranks after all rows have arrived, so sums are
  equal bit for bit on repetition. Arguments: AbutSFBcastRows(). Rows of two PetscInt are refused: with 64-bit indices PetscSF takes them
  for pairs, which it does not add.
**/
PETSC_EXTERN PetscErrorCode AbutSFAddRows(PetscSF sf, MPI_Datatype unit, PetscInt width, const void *leaves, void *roots);

/**
  @brief Lowers each root to the minimum of itself and its leaves. Collective.
  @param[in]     sf      the star forest
  @param[in]     leaves  [number of leaves]
  @param[in,out] roots   [number of roots]
**/
PETSC_EXTERN PetscErrorCode AbutSFMinReals(PetscSF sf, const PetscReal leaves[], PetscReal roots[]);
