"""Writes what other tools read of each file: references.py FILES REFERENCES.

FILES has a folder for each format. Needs pandoc and pdftotext on the PATH, `pip install openpyxl python-pptx icalendar`, and
TIKA=tika-app.jar in the environment. Files that a tool cannot read, or not within a minute, get no reference.
"""
import datetime
import os
import re
import subprocess
import sys
import tempfile
import zipfile

import icalendar
import openpyxl
import pptx

PANDOC = {'docx': 'docx', 'odt': 'odt', 'epub': 'epub', 'org': 'org', 'html': 'html', 'tex': 'latex', 'md': 'gfm', 'adoc': 'asciidoc',
          'rst': 'rst', 'ipynb': 'ipynb'}
# Previews of embedded objects say again what the objects say.
CONFIG = '''<properties><parsers><parser class="org.apache.tika.parser.DefaultParser">
<parser-exclude class="org.apache.tika.parser.microsoft.EMFParser"/>
<parser-exclude class="org.apache.tika.parser.microsoft.WMFParser"/></parser>%s</parsers></properties>''' % ''.join(
    f'<parser class="org.apache.tika.parser.microsoft.{name}"><params>'
    '<param name="includeHeadersAndFooters" type="bool">false</param>'
    '<param name="concatenatePhoneticRuns" type="bool">false</param></params></parser>'
    for name in ('OfficeParser', 'ooxml.OOXMLParser')
)


def run(*command):
    done = subprocess.run(command, capture_output=True, timeout=60)
    return done.stdout.decode('utf8', 'replace') if done.returncode == 0 else None


def workbook(path):
    """Cells as Python has their values, with the comments on them."""
    found = []
    for sheet in openpyxl.load_workbook(path, data_only=True).worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                value = cell.value
                if isinstance(value, datetime.datetime) and value.time() == datetime.time():
                    value = value.date()
                if value is not None:
                    found.append(str(value))
                if cell.comment:
                    found.append(cell.comment.text)
    return '\n'.join(found)


# Headers and footers of workbooks: Tika fills their fields with `00/00/0000`. In masters of slides, what nobody sees on a slide.
UNSEEN = {'ods': rb'<style:((?:header|footer)(?:-left|-first)?)(?: [^>]*)?(?<!/)>.*?</style:\1>',
          'odp': rb'<draw:frame [^>]*presentation:class="[^>]*(?<!/)>.*?</draw:frame>'}


def open_document(kind, path, config):
    """Without what is unseen."""
    if not zipfile.is_zipfile(path):
        return tika(path, config)
    with tempfile.NamedTemporaryFile(suffix=f'.{kind}') as copy:
        with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy.name, 'w') as target:
            for part in source.infolist():
                data = source.read(part)
                if part.filename == 'styles.xml':
                    data = re.sub(UNSEEN[kind], b'', data, flags=re.S)
                target.writestr(part, data)
        return tika(copy.name, config)


def calendar(path):
    """What entries say, and when they are. Tika reads the lines of the file, with the names of their fields."""
    fields = ('SUMMARY', 'DESCRIPTION', 'LOCATION', 'COMMENT', 'CONTACT', 'ORGANIZER', 'ATTENDEE', 'URL', 'DTSTART', 'DTEND', 'DUE')
    with open(path, 'rb') as file:
        entries = icalendar.Calendar.from_ical(file.read()).walk()
    values = [entry.get(field) for entry in entries if entry.name in ('VEVENT', 'VTODO', 'VJOURNAL') for field in fields]
    found = [each for value in values if value is not None for each in (value if isinstance(value, list) else [value])]
    return '\n'.join(f'{each.dt:%Y-%m-%d}' if hasattr(each, 'dt') else str(each) for each in found)


def tika(path, config):
    return run('java', '-Xmx1g', '-jar', os.environ['TIKA'], f'--config={config}', '-t', path)


def shapes_text(shapes):
    for shape in shapes:
        if shape.shape_type == pptx.enum.shapes.MSO_SHAPE_TYPE.GROUP:
            yield from shapes_text(shape.shapes)
        if shape.has_text_frame:
            yield shape.text_frame.text
        if getattr(shape, 'has_table', False) and shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
        if getattr(shape, 'has_chart', False) and shape.has_chart:
            for plot in shape.chart.plots:
                yield from map(str, plot.categories)
                for series in plot.series:
                    yield series.name
                    yield from (f'{value:g}' for value in series.values if value is not None)


def presentation(path):
    found = []
    for slide in pptx.Presentation(path).slides:
        found += shapes_text(slide.shapes)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
            found.append(slide.notes_slide.notes_text_frame.text)
    return '\n'.join(found)


def message(text):
    """Tika writes the subject twice, and names the list of recipients."""
    lines = [line for line in text.split('\n') if line.strip() not in ('', 'Recipients')]
    return '\n'.join(line for i, line in enumerate(lines) if i != 1 or line.strip() != lines[0].strip())


def reference(kind, path, config):
    if kind == 'xlsx':
        return workbook(path)
    if kind == 'pptx':
        return presentation(path)
    if kind == 'pdf':
        return run('pdftotext', path, '-')
    if kind in PANDOC:
        return run('pandoc', '-f', PANDOC[kind], '-t', 'plain', '--wrap=none', path)
    if kind in UNSEEN:
        return open_document(kind, path, config)
    if kind == 'ics':
        return calendar(path)
    text = tika(path, config)
    return message(text) if kind == 'msg' and text else text


files, references = sys.argv[1:]
with tempfile.NamedTemporaryFile('w', suffix='.xml') as config:
    config.write(CONFIG)
    config.flush()
    for kind in sorted(os.listdir(files)):
        os.makedirs(os.path.join(references, kind), exist_ok=True)
        for name in sorted(os.listdir(os.path.join(files, kind))):
            target = os.path.join(references, kind, f'{name}.txt')
            if os.path.exists(target):
                continue
            try:
                text = reference(kind, os.path.join(files, kind, name), config.name)
            except Exception as error:  # Each tool has errors of its own for files that it cannot read.
                print(f'{name}: {error}', file=sys.stderr)
                continue
            if text is not None:
                with open(target, 'w') as out:
                    out.write(text)
