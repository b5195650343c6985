"""What builds images, and runs them without a network, their root folders read only."""

import json
import os
import re
import shutil
import sysconfig
from pathlib import Path

from containers.base import DOCKERFILE, PATH, base, done, ran

FILESYSTEMS = Path("/proc/filesystems")
# mounts end with the process, whatever becomes of it
APART = ["unshare", "--mount"]
BUILD = [*APART, "buildah", "build", "-q"]
# $1 folder, $2 name of the image, $3 environment
FILLED = """
container=$(buildah from scratch)
cp -a "$1/." "$(buildah mount "$container")"
buildah config --env "$3" "$container"
buildah commit -q "$container" "docker.io/library/$2"
"""
# $1 image, $2 user, then pairs of a place there and a folder here, of which the last may be written
CONTAINED = """
root=$(buildah mount "$(buildah from "$1")"); user=$2; shift 2
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --bind "$2" "$root$1"
  [ "$3" = -- ] || mount -o remount,bind,ro "$root$1"
  shift 2
done
shift
mount -o remount,bind,ro "$root"
numbers=$(sed -n "s/^$user:[^:]*:\\([0-9]*:[0-9]*\\):.*/\\1/p" "$root/etc/passwd")
exec env -i PATH="$PATH" unshare --net setpriv --no-new-privs \\
  chroot --userspec="${numbers:-$user:$user}" --groups= "$root" "$@"
"""


def missing():
    """What a builder lacks here."""
    apart = shutil.which("unshare") and ran(*APART, "--net", "true").returncode == 0
    there = {
        "the right to mount, as root on Linux": apart,
        "buildah: apt-get install buildah": shutil.which("buildah"),
        "a Python other than Debian's": "deb_system" not in sysconfig.get_scheme_names(),
    }
    return [reason for reason, found in there.items() if not found]


class Buildah:
    """Builds without a daemon, a registry and an index, in a store of its own."""

    def __init__(self, folder):
        settings = folder / "storage.conf"
        places = f'graphroot = "{folder}/store"\nrunroot = "{folder}/run"\n'
        driver = "overlay" if "\toverlay\n" in FILESYSTEMS.read_text() else "vfs"
        settings.write_text(f'[storage]\ndriver = "{driver}"\n{places}')
        self.environment = os.environ | {
            "CONTAINERS_STORAGE_CONF": str(settings),
            "BUILDAH_ISOLATION": "chroot",
        }
        base(folder / "base")
        (name,) = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
        self.done(*APART, "sh", "-euc", FILLED, "sh", folder / "base", name, f"PATH={PATH}")

    def done(self, *words, **more):
        return done(*words, env=self.environment, **more)

    def settings(self, name):
        """The entry point and the user of an image."""
        told = json.loads(self.done(*APART, "buildah", "inspect", "--type", "image", name))
        said = told["OCIv1"]["config"]
        return said.get("Entrypoint"), said.get("User")

    def run(self, name, words, mounts):
        """Run a command as a container; `mounts` are folders by their places, the last writable."""
        entry, user = self.settings(name)
        given = [word for pair in mounts.items() for word in pair]
        contained = [*APART, "sh", "-euc", CONTAINED, "sh", name, user, *given, "--"]
        return ran(*contained, *(entry or ()), *words, env=self.environment)
