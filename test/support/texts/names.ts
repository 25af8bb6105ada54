/** A name as people type it, and what is nearly the same: its words, its words joined, longer and shorter names, other case and other signs. */
export interface Name {
  name: string
  near: readonly string[]
}

const name = (name: string, ...near: string[]): Name => ({ name, near })

const code = [
  name(
    'check_output',
    'check output',
    'check_outputs',
    'check_output_all',
    'checkOutput',
    'CHECK_OUTPUT',
    'check-output',
  ),
  name('snake_case', 'snake case', 'snakecase', 'snake-case', 'snake_cases', 'Snake_Case'),
  name('getUserName', 'get user name', 'getUserNames', 'getusername', 'get_user_name', 'GetUserName'),
  name('XMLHttpRequest', 'XML http request', 'XmlHttpRequest', 'XMLHttpRequests', 'xmlhttprequest'),
  name('MAX_VALUE', 'max value', 'max_value', 'MAX_VALUES', 'MAXVALUE', 'MaxValue'),
  name('__init__', 'init', '_init_', 'init__', '__init_subclass__', '__INIT__'),
  name('std::vector', 'std vector', 'std::vectors', 'std:vector', 'std.vector', 'std::vector_base'),
  name('foo.bar()', 'foo bar', 'foo.bar', 'foo.bars()', 'foo.bar(x)', 'foo::bar()', 'Foo.bar()'),
  name('os.path.join', 'os path join', 'os.path.joined', 'os.path', 'ospathjoin', 'os/path/join'),
  name('a->b', 'a b', 'a-b', 'a->bc', 'aa->b', 'a-->b', 'a=>b'),
  name('x==y', 'x y', 'x=y', 'x===y', 'x==yy', 'x!=y', 'xx==y'),
  name('i++', 'i', 'i+', 'i--', 'ii++'),
  name('Array<string>', 'array string', 'Array[string]', 'Array<strings>', 'array<string>', 'Array<String>'),
  name(
    '#include <stdio.h>',
    'include stdio h',
    '#include "stdio.h"',
    'include <stdio.h>',
    '#include <stdio.hpp>',
    '#include <stdlib.h>',
  ),
  name('@Override', 'override', '@Overrides', '@override', 'Override', '#Override'),
  name('fn()', 'fn', 'fn(x)', 'fns()', 'fn[]'),
]

const languages = [
  name('C#', 'C', 'C++', 'C-sharp', 'F#', 'C#7'),
  name('C++', 'C', 'C#', 'C+', 'C++17', 'C--'),
  name('.NET', 'net', 'NET', 'dot net', '.NETs', '.net', 'ASP.NET'),
  name('node.js', 'node js', 'nodejs', 'node.json', 'Node.JS', 'node-js'),
  name('Objective-C', 'objective C', 'ObjectiveC', 'Objective-C++', 'objective-c', 'Objective_C'),
]

const files = [
  name('/etc/hosts', 'etc hosts', '/etc/hosts.allow', 'etc/hosts', '/etc/host', '/usr/etc/hosts', '/ETC/HOSTS'),
  name('~/.bashrc', 'bashrc', '.bashrc', '~/.bashrc.local', '~/bashrc', '/.bashrc', '~/.bash_profile'),
  name('README.md', 'readme md', 'README.mdx', 'readme.md', 'README-md', 'README.md.bak'),
  name('src/main.ts', 'src main ts', 'src/main.tsx', 'src/main', 'lib/src/main.ts', 'src\\main.ts'),
  name('C:\\Windows', 'C Windows', 'C:/Windows', 'C:\\WindowsApps', 'D:\\Windows', 'C:\\windows'),
  name('*.tar.gz', 'tar gz', '.tar.gz', 'x.tar.gz', '*.tar', '*.tgz'),
  name(
    'package-lock.json',
    'package lock json',
    'package.json',
    'package-lock.jsonc',
    'packagelock.json',
    'package_lock.json',
  ),
]

const packages = [
  name('node:fs', 'node fs', 'node:fs/promises', 'node:fsx', 'node.fs', 'nodefs', 'node-fs'),
  name('@types/node', 'types node', 'types/node', '@types/nodes', '@types', '@type/node', '@types/node-fetch'),
  name('scikit-learn', 'scikit learn', 'scikitlearn', 'scikit_learn', 'scikit-learns', 'Scikit-Learn'),
  name('x86_64', 'x86 64', 'x8664', 'x86-64', 'x86_64-linux', 'x86', 'X86_64'),
  name('utf-8', 'utf 8', 'utf8', 'utf-8-sig', 'utf-80', 'UTF-8', 'utf_8'),
  name('utf8', 'utf 8', 'utf-8', 'utf8mb4', 'UTF8', 'utf_8'),
  name('h264', 'h 264', 'h.264', 'h265', 'H264', 'h2645'),
]

const shell = [
  name('--save-dev', 'save dev', 'save-dev', '-save-dev', '--save', '--save-devs', '--savedev', '--save-dev-exact'),
  name('--no-verify', 'no verify', 'no-verify', '--no-verify-host', '--noverify', '--verify'),
  name('$HOME', 'home', 'HOME', '$HOMES', '$home', '$HOME_DIR', '%HOME%'),
  name('2>&1', '2 1', '2>1', '2>&12', '12>&1', '2&1'),
  name('DATABASE_URL', 'database url', 'database_url', 'DATABASE_URLS', 'DATABASE-URL', 'TEST_DATABASE_URL'),
]

const network = [
  name('192.168.0.1', '192 168 0 1', '192.168.0.10', '192.168.0', '192.168.01', '1.192.168.0.1', '192-168-0-1'),
  name('10.0.0.0/8', '10 0 0 0 8', '10.0.0.0', '10.0.0.0/80', '10.0.0.0-8', '110.0.0.0/8'),
  name('localhost:8080', 'localhost 8080', 'localhost:80801', 'localhost', 'localhost8080', 'localhost.8080'),
  name(
    'user@example.org',
    'user example org',
    'user@example.com',
    'user@example.org.uk',
    'another.user@example.org',
    'user.example.org',
    'users@example.org',
  ),
  name(
    'https://example.org/a',
    'https example org a',
    'http://example.org/a',
    'https://example.org/ab',
    'https://example.org',
    'example.org/a',
  ),
  name(
    'Content-Type',
    'content type',
    'ContentType',
    'content-type',
    'Content_Type',
    'Content-Types',
    'X-Content-Type',
  ),
  name('X-Forwarded-For', 'X forwarded for', 'X-Forwarded', 'x-forwarded-for', 'X-Forwarded-Forms', 'Forwarded-For'),
  name(
    'ERR_CONNECTION_RESET',
    'err connection reset',
    'ERR_CONNECTION',
    'ERR-CONNECTION-RESET',
    'err_connection_reset',
    'ERR_CONNECTION_RESETS',
  ),
  name('HTTP/2', 'HTTP 2', 'HTTP/2.0', 'HTTP2', 'HTTP-2', 'http/2', 'HTTP/20'),
]

const versions = [
  name('1.2.3', '1 2 3', '1.2.30', '1.2', '1.2.3.4', '11.2.3', '1-2-3', '123'),
  name(
    'v1.2.3-rc.1',
    'v1 2 3 rc 1',
    'v1.2.3',
    'v1.2.3-rc.10',
    'v1.2.3-rc1',
    '1.2.3-rc.1',
    'v1.2.3-rc.1.1',
    'V1.2.3-RC.1',
  ),
  name('python3.11', 'python 3.11', 'python3', 'python3.111', 'python 3 11', 'Python3.11'),
  name('^4.17.21', '4.17.21', '~4.17.21', '^4.17.210', '^4.17', '4 17 21'),
  name('>=3.9', '3.9', '<=3.9', '>3.9', '>=3.90', '=3.9'),
  name('0x1F', '0x1F4', '0 x 1F', '0x1f', '1F', '0x-1F'),
]

const names = [
  name('AT&T', 'at T', 'AT T', 'ATT', 'AT&TV', 'at&t', 'AT and T'),
  name('R&D', 'R D', 'RD', 'R-D', 'R&DE', 'r&d'),
  name("O'Reilly", 'O Reilly', 'OReilly', "O'Reillys", "o'reilly", 'Reilly', 'O-Reilly'),
  name('Jean-Luc', 'Jean Luc', 'JeanLuc', 'Jean-Lucien', 'jean-luc', 'Luc-Jean'),
  name('Yahoo!', 'yahoo', 'Yahoo', 'Yahoo!s', 'yahoo!'),
  name('A/B', 'A B', 'AB', 'A-B', 'A/BC', 'a/b'),
  name('K-9', 'K 9', 'K9', 'K-99', 'k-9', 'K.9'),
]

const numbers = [
  name(
    'INV-2024-00017',
    'INV 2024 00017',
    'INV-2024-000170',
    'INV-2024-00071',
    'INV2024-00017',
    'inv-2024-00017',
    '2024-00017',
  ),
  name('SKU 123-45', 'SKU 12345', 'SKU 123 45', 'SKU 123-456', 'SKU-123-45', 'sku 123-45', '123-45'),
  name('978-3-16-148410-0', '978 3 16 148410 0', '9783161484100', '978-3-16-148410-01', '978-3-16', '3-16-148410-0'),
  name('€19.99', '19.99', '€19.999', '$19.99', '€1999', '19 99'),
  name('99.9%', '99.9', '99 9', '99.99%', '99%', '99.9‰'),
  name('2024-05-01', '2024 05 01', '2024-05-010', '2024-05', '2024/05/01', '20240501', '2024-01-05'),
  name('CVE-2021-44228', 'CVE 2021 44228', 'CVE-2021-442280', 'CVE-2021', 'cve-2021-44228', 'CVE202144228'),
  name('+47 22 33', '47 22 33', '+47 2233', '+472233', '+47 22 334', '-47 22 33'),
]

const families: Readonly<Record<string, readonly Name[]>> = {
  code,
  languages,
  files,
  packages,
  shell,
  network,
  versions,
  names,
  numbers,
}

/** By family. What is nearly one name and is another one is left out of the former. */
export const nameTable: readonly (readonly [string, readonly Name[]])[] = (() => {
  const all = new Set(Object.values(families).flatMap((some) => some.map(({ name }) => name)))
  return Object.entries(families).map(([family, some]) => [
    family,
    some.map(({ name, near }) => ({ name, near: near.filter((one) => !all.has(one)) })),
  ])
})()
