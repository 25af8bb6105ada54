export const help = `Restores a snapshot of a backup into an empty data directory, or checks that it can be restored.

  multimodal-retrieval restore FROM [--snapshot ID] [--data-dir DIR] [--verify] [--json]

The checksums of all its files are checked first. DIR must be missing or empty, and appears as a whole or not at all.

  --snapshot ID   the snapshot. Default: the newest one
  --data-dir DIR  where to restore to. Default: DATA_DIR
  --verify        restores into a temporary folder instead, and removes it afterwards: checks each audit log against its
                  checkpoints and its end in the snapshot, compares counts, and searches each namespace
  --json          prints what was restored or verified as JSON

  exit 0  done
       1  refused or different: a file is missing, changed, cut or foreign, a newer format or service, DIR is not empty; or
          what --verify found; nothing is left in DIR
       2  not done: wrong usage or settings, files out of reach`
