"""Reads citations of versions as their users do, and prints what they contain, or why they are invalid.

The input is a JSON list of objects with one citation in each format. DataCite's own XML schema checks the XML. The JSON
schema of the package `datacite` checks the JSON. The schema of the Citation File Format checks `CITATION.cff`.
"""

import json
import sys
from importlib.metadata import files
from pathlib import Path

import rispy
import yaml
from jsonschema.validators import validator_for
from lxml import etree
from pybtex.database import parse_string

datacite = Path(sys.argv[1])
kernel = "{http://datacite.org/schema/kernel-4}"
xml_schema = etree.XMLSchema(etree.parse(datacite / "tests/data/4.5/metadata.xsd"))


def validator(schema):
    return validator_for(schema)(schema)


json_schema = validator(json.loads((datacite / "datacite/schemas/datacite-v4.5.json").read_text()))
cff_file = next(file for file in files("cffconvert") if str(file).endswith("1.2.0/schema.json"))
cff_schema = validator(json.loads(cff_file.read_text()))


def datacite_xml(text):
    document = etree.fromstring(text.encode())
    xml_schema.assertValid(document)
    creators = document.findall(f"{kernel}creators/{kernel}creator/{kernel}creatorName")
    return document.findtext(f"{kernel}titles/{kernel}title"), [creator.text for creator in creators]


def datacite_json(text):
    document = json.loads(text)
    json_schema.validate(document)
    return document["titles"][0]["title"], [creator["name"] for creator in document["creators"]]


def cff(text):
    document = yaml.safe_load(text)
    cff_schema.validate(document)
    return document["title"], [author["name"] for author in document["authors"]]


def bibtex(text):
    entries = parse_string(text, "bibtex").entries
    assert len(entries) == 1, entries.keys()
    (entry,) = entries.values()
    return entry.fields["title"], [str(person) for person in entry.persons["author"]]


def ris(text):
    (record,) = rispy.loads(text)
    return record["title"], record["authors"]


readers = {"datacite-xml": datacite_xml, "datacite-json": datacite_json, "cff": cff, "bibtex": bibtex, "ris": ris}


def read(name, text):
    try:
        title, creators = readers[name](text)
        return {"title": title, "creators": creators}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:2000]}


print(json.dumps([{name: read(name, text) for name, text in each.items()} for each in json.load(sys.stdin)]))
