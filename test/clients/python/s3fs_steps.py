"""Signs in with the settings alone."""

import s3fs

from steps import blocks, serve, write

bucket = "tide-institute"
# Without cached listings, because other clients write here too.
s3 = s3fs.S3FileSystem(default_block_size=5 << 20, use_listings_cache=False)


def at(key):
    return f"{bucket}/{key}"


def upload(file, key):
    with s3.open(at(key), "wb") as target:
        for block in blocks(file):
            target.write(block)


def read_range(key, first, count, file):
    write(file, s3.cat_file(at(key), start=int(first), end=int(first) + int(count)))


serve({
    "upload": upload,
    "download": lambda key, file: s3.get_file(at(key), file),
    "range": read_range,
    "list": lambda prefix: [found.removeprefix(f"{bucket}/") for found in s3.find(at(prefix))],
    "copy": lambda source, to: s3.copy(at(source), at(to)),
    "remove": lambda key: s3.rm(at(key)) and None,
})
