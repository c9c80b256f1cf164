"""Write the files under out/: lock the folder, stage changes, move them into place, remove old files."""
