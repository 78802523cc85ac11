#!/usr/bin/env bash
# Runs a scene on N ranks of this machine, as root and with fewer cores than ranks, too; the arguments after the scene go to `abut run`.
# jobs/run.sh N SCENE.yaml [-o DIRECTORY] [options]   results go to results/SCENE by default; ABUT names another program than build/bin/abut
invoked_from=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
abut=${ABUT:-$root/build/bin/abut}
cd "$invoked_from"

usage="jobs/run.sh N SCENE.yaml [options of abut run]"
[ $# -ge 2 ] || die "needs the number of ranks and a scene: $usage"
ranks=$1 scene=$2
shift 2
[[ $ranks =~ ^[1-9][0-9]*$ ]] || die "the number of ranks is '$ranks', must be an integer from 1 on: $usage"
[ -f "$scene" ] || die "there is no scene '$scene'"
command -v "$abut" >/dev/null || die "there is no program '$abut': build it with jobs/build.sh, or set ABUT"
command -v mpiexec >/dev/null || die "there is no mpiexec: install MPI, for example with jobs/setup.sh"
case " $* " in
*" -o "*) ;;
*) set -- -o "results/$(basename "${scene%.yaml}")" "$@" ;;
esac

bind_ranks "$ranks"
ask_huge_pages
exec mpiexec -n "$ranks" "$abut" run "$scene" "$@"
