#!/usr/bin/env bash
# Installs the clients of test/clients, and the emulator of test/deployment, that are not packages of the project: from Debian (as root), and from PyPI, Maven, npm, and the Go module proxy into .clients.
# Files in this folder pin the versions. Those of the typed client are beside its test. A failed part prints one line, and its tests are skipped. A second run installs only changed parts.
set -uo pipefail
cd "$(dirname "$0")/../.."
exec </dev/null
mkdir -p .clients

# Installs one part and reports a failure. The output is in its log file.
part() {
  local name=$1
  shift
  "$@" >".clients/$name.log" 2>&1 || echo "Clients: $name could not be installed (.clients/$name.log); their tests are skipped."
}

debian() {
  export DEBIAN_FRONTEND=noninteractive
  local more=()
  [ -x /usr/local/go/bin/go ] || more+=(golang-go)
  command -v mvn >/dev/null || more+=(maven)
  command -v javac >/dev/null || more+=(default-jdk-headless)
  apt-get update -qq && apt-get install -y -qq --no-install-recommends awscli chromium curl gdal-bin \
    golang-github-aws-aws-sdk-go-v2-dev jq "${more[@]}" procps python3-boto3 python3-gdal python3-pip python3-venv rclone restic s3cmd
}

# A separate part, because some Debian derivatives have another package name, or none.
firefox() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends firefox-esr
}

# Creates a Python environment in .clients/<name> with the packages in its file. Further arguments go to pip.
python() {
  local name=$1 wanted=test/clients/python/$1.txt
  shift
  cmp -s "$wanted" ".clients/$name/installed.txt" && return
  rm -rf ".clients/$name"
  python3 -m venv --without-pip ".clients/$name" &&
    python3 -m pip --python ".clients/$name/bin/python" install -q --no-input --only-binary :all: "$@" -r "$wanted" &&
    cp "$wanted" ".clients/$name/installed.txt"
}

# Installs the generator of the typed client in .clients/typescript.
typescript() {
  local wanted=test/contract/typed-client installed=.clients/typescript
  cmp -s "$wanted/package-lock.json" "$installed/installed.json" && return
  rm -rf "$installed"
  mkdir -p "$installed"
  cp "$wanted/package.json" "$wanted/package-lock.json" "$installed" &&
    npm ci --prefix "$installed" --no-audit --no-fund && cp "$wanted/package-lock.json" "$installed/installed.json"
}

# Installs the packages in pom.xml and their dependencies in .clients/java.
java() {
  local wanted=test/clients/java/pom.xml
  cmp -s "$wanted" .clients/java/installed.xml && return
  rm -rf .clients/java
  mvn -q -B -Dmaven.artifact.threads=10 -f "$wanted" dependency:copy-dependencies -DoutputDirectory="$PWD/.clients/java" &&
    cp "$wanted" .clients/java/installed.xml
}

# Builds the newest rclone, which Debian does not have, in about a minute.
newest_rclone() {
  local wanted=test/clients/go/rclone go
  cmp -s "$wanted/go.mod" .clients/go/installed.mod && return
  go=$(command -v go || echo /usr/local/go/bin/go)
  mkdir -p .clients/go
  timeout 300 "$go" build -C "$wanted" -ldflags='-s -w' -o "$PWD/.clients/go/rclone" . && cp "$wanted/go.mod" .clients/go/installed.mod
}

# Installs DataCite's schema files in .clients/datacite. Only the source distribution of this package contains them.
datacite() {
  local version=1.3.1
  [ -e ".clients/datacite/datacite-$version/LICENSE" ] && return
  rm -rf .clients/datacite
  python3 -m pip download -q --no-input --no-deps --no-binary :all: -d .clients/datacite "datacite==$version" &&
    tar -xzf ".clients/datacite/datacite-$version.tar.gz" -C .clients/datacite
}

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then part debian debian; part firefox firefox; fi
part java java &
part typescript typescript &
part rclone newest_rclone &
part datacite datacite &
for name in newest oldest tools schemathesis emulator; do part "$name" python "$name"; done
for name in croissant citation; do part "$name" python "$name" --no-deps; done
wait
