"""Makes sure that a browser and a Korean font are there: Debian's packages where apt is, Playwright's else."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Debian's chromium without its windows: the same engine, which starts and paints in less time.
PACKAGES = ["chromium-headless-shell", "fonts-noto-cjk"]


def browser_path() -> str | None:
    """Return the path of an installed browser, or None when only Playwright's own could be used."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def main() -> int:
    if browser_path() and _korean_font():
        return 0
    if shutil.which("apt-get"):
        sudo = [] if os.geteuid() == 0 else ["sudo"]
        if sudo and not shutil.which("sudo"):
            print(f"The browser tests need {' and '.join(PACKAGES)}: install them as root.", file=sys.stderr)
            return 1
        print(f"Installing {' and '.join(PACKAGES)} with apt-get", flush=True)
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run([*sudo, "apt-get", "update", "-qq"], env=env, check=True)
        install = [*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *PACKAGES]
        subprocess.run(install, env=env, check=True, stdout=subprocess.DEVNULL)
        return 0
    if not browser_path():
        return subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False).returncode
    return 0


def _korean_font() -> bool:
    if not shutil.which("fc-list"):
        return not shutil.which("apt-get")
    return bool(subprocess.run(["fc-list", ":lang=ko"], capture_output=True, check=False).stdout.strip())


if __name__ == "__main__":
    sys.exit(main())
